// The view as a whole: what it holds and what it shows of that.
import { Actions } from './actions.js';
import { Announcer } from './announce.js';
import { Answers } from './answers.js';
import { resultText } from './bridge.js';
import { h, patch } from './dom.js';
import { questionForm } from './form.js';
import { Diagrams } from './mermaid.js';
import { foldedPanel, panelNode } from './panel.js';
import { Poller } from './poll.js';
import { keepReading } from './scroll.js';
import { Session, panelKey } from './session.js';
import { Clock } from './text.js';
import { applyTheme, reportSize } from './theme.js';

const DATA = 'raw/panel';
const POLL_TIMEOUT = 30_000; // ms

export class App {
  #bridge;
  #root;
  #session;
  #poller;
  #actions;
  #answers;
  #diagrams;
  #clock = new Clock();
  #context = {};
  #cancelled = '';
  #unanswered = 0; // polls in a row

  constructor(bridge, root, region) {
    const announcer = new Announcer(region);
    const draw = () => this.#draw();
    this.#bridge = bridge;
    this.#root = root;
    this.#session = new Session((text) => announcer.say(text));
    this.#poller = new Poller(() => this.#poll(), () => this.#session.busy);
    this.#actions = new Actions(bridge, this.#session, this.#poller, draw);
    this.#answers = new Answers(bridge, this.#session, this.#poller, draw);
    this.#diagrams = new Diagrams(bridge, draw);
  }

  // start connects to the host; what it pushes is heard from the first message on.
  async start() {
    this.#bridge.on('ui/notifications/tool-result', (result) => this.#onResult(result));
    this.#bridge.on('ui/notifications/tool-cancelled', ({ reason }) => this.#onCancelled(reason));
    this.#bridge.on('ui/notifications/host-context-changed', (context) => this.#onContext(context));
    let stopReporting = () => {};
    this.#bridge.on('ui/resource-teardown', () => {
      this.#poller.stop();
      stopReporting();
    });
    this.#onContext(await this.#bridge.connect());
    stopReporting = reportSize(this.#bridge);
    if (this.#bridge.capabilities.serverTools) this.#poller.start();
  }

  #onResult(result) {
    const data = result._meta?.[DATA];
    if (data) this.#session.result(data);
    else this.#session.own ??= [];
    this.#draw();
  }

  #onCancelled(reason) {
    this.#cancelled = reason ? `The call was cancelled: ${reason}` : 'The call was cancelled.';
    this.#session.own ??= [];
    this.#draw();
  }

  #onContext(context) {
    Object.assign(this.#context, context);
    applyTheme(context);
    this.#clock = new Clock(this.#context.locale, this.#context.timeZone);
    this.#draw();
  }

  async #poll() {
    let isNews = false;
    try {
      const data = await this.#askForNews();
      isNews = this.#session.poll(data);
      // Apart, so that a fault in drawing is not taken for one of the connection.
      if (isNews || this.#unanswered > 0) queueMicrotask(() => this.#draw());
      this.#unanswered = 0;
    } catch (error) {
      this.#unanswered++;
      this.#draw();
      throw error;
    }
    return isNews;
  }

  async #askForNews() {
    const result = await this.#bridge.callTool('panel_poll', { cursor: this.#session.cursor }, POLL_TIMEOUT);
    const data = result._meta?.[DATA];
    if (result.isError || !data) throw new Error(resultText(result) || 'no panel data');
    return data;
  }

  #draw() {
    keepReading(this.#root, () => patch(this.#root, this.#page()));
  }

  #page() {
    const { panels, questions, own } = this.#session;
    const all = [...panels.values()];
    const isMain = (panel) => (own ? own.includes(panelKey(panel)) : !panel.closed);
    const main = all.filter(isMain);
    const others = all.filter((panel) => !isMain(panel) && !panel.view);
    const placed = new Map(main.map((panel) => [panel, [...questions.values()].filter((question) => asks(panel, question))]));
    const loose = [...questions.values()].filter((question) => ![...placed.values()].flat().includes(question));
    const asker = (question) => all.find((panel) => panel.panel === question.panel);
    return [
      h('h1', { key: 'name', class: 'visually-hidden' }, 'Panels'),
      this.#unanswered > 1 && h('p', { key: 'stale', class: 'notice', role: 'status' }, 'The server does not answer. What is shown may be old.'),
      this.#cancelled && h('p', { key: 'cancelled', class: 'notice', role: 'status' }, this.#cancelled),
      loose.map((question) => questionForm(question, this.#scene(asker(question), []))),
      main.map((panel) => panelNode(this.#scene(panel, placed.get(panel)))),
      others.length > 0 && h('section', { key: 'others', class: 'others', 'aria-labelledby': 'others' }, h('h2', { id: 'others' }, 'Other panels'), others.map((panel) => foldedPanel(this.#scene(panel, [])))),
      all.length + questions.size === 0 && h('p', { key: 'empty', class: 'hint' }, own ? 'There is nothing to show.' : 'Waiting for the first panel.'),
    ].flat().filter(Boolean);
  }

  #scene(panel, questions) {
    return { panel, questions, actions: this.#actions, answers: this.#answers, diagrams: this.#diagrams, clock: this.#clock };
  }
}

// asks says whether a panel has the form block that a question belongs to.
function asks(panel, question) {
  const same = question.view ? panel.view?.instanceId === question.view : !panel.view && panel.panel === question.panel;
  return same && panel.document.blocks.some((block) => block.kind === 'form' && (question.form.block ?? block.id) === block.id);
}
