// A host of MCP Apps: Chromium with the view in a sandboxed frame, under the
// policy that the extension prescribes, and the host's side of the protocol by
// AppBridge of ext-apps. Only the postMessage relay is ours.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { AppBridge } from '@modelcontextprotocol/ext-apps/app-bridge';
import { chromium } from 'playwright-core';
import { Server } from './server.mjs';

const BROWSERS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

// What a host must apply to a view that declares no domains.
const POLICY = "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; media-src 'self' data:; connect-src 'none'";

const PAGE = `<!doctype html><html lang="en"><head><title>host</title>
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<style>body { margin: 0 } iframe { border: 0; width: 100%; height: 100vh; display: block }</style></head>
<body><iframe title="view" sandbox="allow-scripts"></iframe></body></html>`;

export class Host {
  server = new Server();
  messages = []; // of ui/message
  sizes = [];
  requests = []; // network requests of any frame
  dialogs = [];
  faults = []; // console errors, refusals by policy, uncaught errors
  #browser;

  // With a client, its server stands behind the view in place of the scripted one.
  constructor({ client = null, capabilities = { serverTools: {}, message: {} }, context = {} }) {
    const hostContext = { theme: 'light', locale: 'en-GB', timeZone: 'UTC', ...context };
    this.bridge = new AppBridge(client, { name: 'interop', version: '1.0.0' }, capabilities, { hostContext });
    if (!client) this.bridge.oncalltool = (params) => this.server.call(params);
    this.bridge.onmessage = async ({ role, content }) => {
      this.messages.push({ role, content });
      return {};
    };
    this.bridge.onsizechange = (size) => this.sizes.push(size);
    this.bridge.onrequestteardown = () => this.faults.push('the view asked for its end');
  }

  async open(view, { before, viewport = { width: 720, height: 900 }, clock = false }) {
    before?.(this);
    this.#browser = await chromium.launch({ executablePath: BROWSERS.find((path) => existsSync(path)), args: ['--no-sandbox'] });
    this.page = await this.#browser.newPage({ viewport });
    this.page.setDefaultTimeout(15_000);
    if (clock) await this.page.clock.install();
    this.page.on('request', (request) => this.requests.push(request.url()));
    this.page.on('dialog', (dialog) => {
      this.dialogs.push(dialog.message());
      void dialog.dismiss();
    });
    this.page.on('popup', (popup) => this.faults.push(`opened ${popup.url()}`));
    this.page.on('pageerror', (error) => this.faults.push(error.message));
    this.page.on('console', (message) => message.type() === 'error' && this.faults.push(message.text()));

    const transport = { start: async () => {}, close: async () => {}, send: (message) => this.#post(message) };
    await this.page.exposeBinding('toHost', (_, message) => transport.onmessage?.(message));
    const initialized = new Promise((resolve) => (this.bridge.oninitialized = resolve));
    await this.bridge.connect(transport);
    await this.page.setContent(PAGE);
    await this.page.evaluate((html) => {
      const frame = document.querySelector('iframe');
      window.addEventListener('message', (event) => event.source === frame.contentWindow && window.toHost(event.data));
      frame.srcdoc = html;
    }, view);
    let connected = false;
    void initialized.then(() => (connected = true));
    await this.until(() => connected, 'the view shakes hands');
    this.view = this.page.frameLocator('iframe');
    this.frame = this.page.frames().find((frame) => frame !== this.page.mainFrame());
  }

  #post(message) {
    return this.page.evaluate((data) => document.querySelector('iframe').contentWindow.postMessage(data, '*'), message);
  }

  // result pushes the result of the call that opened the view.
  async result(panels = this.server.panels) {
    await this.bridge.sendToolResult({ content: [{ type: 'text', text: 'for the model' }], _meta: { 'raw/panel': { ...this.server.data(), panels } } });
  }

  // press presses keys one after the other.
  async press(...keys) {
    for (const key of keys) await this.page.keyboard.press(key);
  }

  // until waits for a condition that is no matter of the page.
  async until(condition, what) {
    const deadline = Date.now() + 15_000;
    while (!condition()) {
      assert.ok(Date.now() < deadline, `${what}: not within 15 s`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  focused() {
    return this.frame.evaluate(() => document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent);
  }

  async close() {
    await this.#browser?.close();
  }

  // checkQuiet: whatever a test did, nothing left the frame or went wrong.
  checkQuiet() {
    assert.deepEqual({ requests: this.requests, dialogs: this.dialogs, faults: this.faults }, { requests: [], dialogs: [], faults: [] });
  }
}
