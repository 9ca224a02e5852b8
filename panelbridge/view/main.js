import { App } from './app.js';
import { Bridge } from './bridge.js';

const app = new App(new Bridge(), document.getElementById('view'), document.getElementById('announcements'));
app.start();
