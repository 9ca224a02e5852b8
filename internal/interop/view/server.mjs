// A server as the panel view sees it: scripted state behind the app-only tools.

export class Server {
  session = 'k3';
  token = 'token-of-the-view';
  calls = []; // {name, arguments}, without polls
  polls = []; // cursors
  panels = [];
  questions = [];
  removed = [];
  answers = new Map(); // tool → what it answers, a function of the arguments
  #seq = 1;
  #changed = new Map(); // key of a panel → seq of its last change

  // show sets the state of a panel, as an accepted update does.
  show(panel) {
    const key = keyOf(panel);
    this.panels = [...this.panels.filter((other) => keyOf(other) !== key), panel];
    this.#changed.set(key, ++this.#seq);
  }

  // data is the payload of a result, or of a poll with what changed since the cursor.
  data(cursor = '') {
    const since = this.panels.filter((panel) => (this.#changed.get(keyOf(panel)) ?? 0) > Number(cursor || 0));
    return {
      session: this.session,
      cursor: String(this.#seq),
      token: this.token,
      panels: since,
      removed: this.removed,
      questions: this.questions,
    };
  }

  async call({ name, arguments: args }) {
    if (name === 'panel_poll') {
      this.polls.push(args.cursor);
      const answer = this.answers.get(name);
      if (answer) return answer(args);
      return { content: [{ type: 'text', text: 'for the model' }], _meta: { 'raw/panel': this.data(args.cursor) } };
    }
    this.calls.push({ name, arguments: args });
    return (this.answers.get(name) ?? (() => text('ok')))(args);
  }
}

export function text(message, isError = false) {
  return { content: [{ type: 'text', text: message }], isError };
}

function keyOf(panel) {
  return panel.view ? `${panel.panel}@${panel.view.instanceId}` : panel.panel;
}
