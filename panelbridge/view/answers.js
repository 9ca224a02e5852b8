// Answering questions: what was entered, what is wrong with it, and sending it.
import { responses } from './actions.js';
import { resultText } from './bridge.js';
import { confirmed } from './dialog.js';
import { limit } from './form.js';
import { idOf } from './ids.js';
import { byteLength } from './text.js';

const FAULT = /^\/answers\/([A-Za-z0-9_.-]+)(?:\/\d+)?: (.*)$/;
const KEY_BYTES = 16;

export class Answers {
  #bridge;
  #session;
  #poller;
  #changed;

  // changed draws the page again.
  constructor(bridge, session, poller, changed) {
    this.#bridge = bridge;
    this.#session = session;
    this.#poller = poller;
    this.#changed = changed;
  }

  set(question, field, value) {
    question.draft[field.id] = value;
    this.#changed();
  }

  // choose takes an option, or no option of a single selection.
  choose(question, field, option, isChosen) {
    if (field.kind === 'single_select') {
      this.set(question, field, option);
      return;
    }
    const others = (question.draft[field.id] ?? []).filter((id) => id !== option);
    this.set(question, field, isChosen ? [...others, option] : others);
  }

  async submit(question) {
    question.faults = faultsIn(question);
    if (question.faults.length > 0) this.#refused(question);
    else await this.#send(question, { answers: answersOf(question) });
  }

  async cancel(question) {
    await this.#send(question, { cancel: true });
  }

  async #send(question, body) {
    if (question.busy) return;
    const action = this.#responses(question)[body.cancel ? 'cancel' : 'submit'];
    if (action?.confirm && !(await confirmed(action.confirm, action.label))) return;
    // The same key for the same answer: sent again, it is still one answer.
    const text = JSON.stringify(body);
    if (question.sent?.text !== text) question.sent = { text, key: randomKey() };
    question.busy = true;
    this.#changed();
    try {
      const result = await this.#bridge.callTool('form_answer', {
        requestId: question.id,
        expectedRevision: question.revision,
        idempotencyKey: question.sent.key,
        ...body,
        token: this.#session.token,
      });
      question.faults = result.isError ? faultsOf(resultText(result)) : [];
    } catch (error) {
      question.faults = [{ message: error.message }];
    }
    question.busy = false;
    if (question.faults.length > 0) this.#refused(question);
    else this.#accepted(question, body);
    this.#poller.now();
  }

  #responses(question) {
    const panel = [...this.#session.panels.values()].find((candidate) => candidate.panel === question.panel);
    return responses(panel, question.form.block);
  }

  #refused(question) {
    this.#changed();
    document.getElementById(`${idOf(`question ${question.id}`)}-summary`)?.focus();
  }

  #accepted(question, body) {
    question.answers = body.answers;
    this.#session.settle(question, body.cancel ? 'cancelled' : 'answered');
    this.#changed();
    document.getElementById(`${idOf(`question ${question.id}`)}-title`)?.focus();
  }
}

// answersOf leaves out what was left empty.
function answersOf({ form, draft }) {
  const given = form.fields.filter((field) => (draft[field.id] ?? '').length > 0);
  return Object.fromEntries(given.map((field) => [field.id, draft[field.id]]));
}

// faultsIn finds what the server would refuse, as far as the fields say it.
function faultsIn({ form, draft }) {
  return form.fields.flatMap((field) => {
    const message = faultIn(field, draft[field.id] ?? '');
    return message ? [{ field: field.id, message }] : [];
  });
}

function faultIn(field, value) {
  if (value.length === 0) return field.required ? 'an answer is required' : '';
  if (field.kind === 'text') {
    const bytes = byteLength(value);
    return bytes > limit(field) ? `${bytes} bytes; the limit is ${limit(field)}` : '';
  }
  if (field.kind === 'single_select') return '';
  if (value.length < (field.min_selected ?? 0)) return `${value.length} chosen; at least ${field.min_selected} are required`;
  return value.length > (field.max_selected || Infinity) ? `${value.length} chosen; at most ${field.max_selected} are allowed` : '';
}

// faultsOf reads a refusal: lines that name a field, or else the text as it is.
function faultsOf(text) {
  const faults = text.split('\n').flatMap((line) => {
    const match = FAULT.exec(line.trim());
    return match ? [{ field: match[1], message: match[2] }] : [];
  });
  return faults.length > 0 ? faults : [{ message: text || 'refused' }];
}

function randomKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
