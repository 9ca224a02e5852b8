// What is known of the session: its panels and its questions.

const SETTLED = new Set(['answered', 'cancelled', 'expired', 'interrupted', 'ended']);

// panelKey names a panel; of a chat panel, the view that belongs to one call.
export function panelKey(panel) {
  return panel.view ? `${panel.panel}@${panel.view.instanceId}` : panel.panel;
}

export function isSettled(question) {
  return SETTLED.has(question.state);
}

export class Session {
  id = '';
  cursor = '';
  token = '';
  panels = new Map(); // key → panel, in order of arrival
  questions = new Map(); // id → question; settled ones stay, for the person to see
  own = null; // keys of the panels that the call of this view showed, once it has ended
  #news;

  // news is told each noteworthy change, in words.
  constructor(news) {
    this.#news = news;
  }

  // result takes in what came with the result of the view's own call. It may
  // be older than what polling has brought.
  result(data) {
    this.#enter(data);
    const panels = data.panels ?? [];
    this.own = panels.map(panelKey);
    for (const panel of panels) {
      if (!(this.panels.get(panelKey(panel))?.revision > panel.revision)) this.#show(panel);
    }
    this.#ask(data.questions ?? []);
  }

  // poll takes in an answer to a poll, and says whether anything changed.
  poll(data) {
    this.#enter(data);
    this.cursor = data.cursor ?? '';
    const panels = data.panels ?? [];
    const removed = data.removed ?? [];
    for (const panel of panels) this.#show(panel);
    for (const key of removed) this.panels.delete(key);
    return this.#ask(data.questions ?? []) || panels.length > 0 || removed.length > 0;
  }

  // busy says whether more is to be expected soon.
  get busy() {
    const running = (panel) => !panel.closed && (panel.document.status ?? 'active') === 'active';
    return this.own === null || this.pending.length > 0 || [...this.panels.values()].some(running);
  }

  get pending() {
    return [...this.questions.values()].filter((question) => !isSettled(question));
  }

  // settle keeps how a question ended, and the answers that ended it.
  settle(question, state) {
    question.state = state;
    this.#news(`${question.title || 'Question'}: ${state}`);
  }

  #enter(data) {
    if (this.id && data.session !== this.id) {
      this.panels.clear();
      this.questions.clear();
      this.cursor = '';
    }
    this.id = data.session;
    this.token = data.token ?? this.token;
  }

  #show(panel) {
    const key = panelKey(panel);
    if (!panel.document) {
      this.panels.delete(key);
      return;
    }
    const before = this.panels.get(key);
    this.panels.set(key, panel);
    if (before) this.#tell(before.document, panel.document);
  }

  #tell(before, after) {
    const known = new Set(events(before).map((event) => event.id));
    for (const event of events(after)) {
      if (!known.has(event.id)) this.#news(`${after.title ?? ''} ${event.level ?? 'info'}: ${event.label}`);
    }
    const ended = after.status === 'done' || after.status === 'failed';
    if (ended && before.status !== after.status) this.#news(`${after.title ?? 'Panel'}: ${after.status}`);
  }

  #ask(list) {
    let changed = false;
    const open = new Set(list.map((question) => question.id));
    for (const asked of list) {
      const known = this.questions.get(asked.id);
      if (known && (isSettled(known) || known.revision === asked.revision)) continue;
      if (known) Object.assign(known, asked);
      else {
        this.questions.set(asked.id, { draft: Object.create(null), faults: [], sent: null, busy: false, ...asked });
        this.#news(`Question: ${asked.title || 'an answer is wanted'}`);
      }
      changed = true;
    }
    for (const question of this.pending) {
      if (open.has(question.id) || question.busy) continue;
      this.settle(question, question.deadline <= Date.now() ? 'expired' : 'ended');
      changed = true;
    }
    return changed;
  }
}

function events(document) {
  return (document.blocks ?? []).filter((block) => block.kind === 'timeline').flatMap((block) => block.events ?? []);
}
