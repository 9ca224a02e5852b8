// Which actions there are for a panel, block or item, and running them.
import { resultText } from './bridge.js';
import { confirmed } from './dialog.js';
import { panelKey } from './session.js';
import { visible } from './text.js';

const NAME = /\{\{(.*?)\}\}/gs;

// applicable lists the declared actions of a scope that are to be had now; the
// target is {block, item}, as far as the scope goes.
export function applicable(panel, scope, target = {}) {
  return (panel.declaration.actions ?? []).filter((action) => {
    if (action.scope !== scope || action.kind === 'response') return false;
    if (scope !== 'panel' && action.blocks?.length > 0 && !action.blocks.includes(target.block.id)) return false;
    if (scope === 'item' && action.when && !action.when.status.includes(target.item.status)) return false;
    return strings([action.text, action.arguments, action.confirm]).every((text) => filled(text, panel, target) !== null);
  });
}

// responses are the actions that submit and cancel a form block.
export function responses(panel, blockId) {
  const of = (response) => (panel?.declaration.actions ?? []).find((action) => action.response === response && (!action.blocks?.length || action.blocks.includes(blockId)));
  return { submit: of('submit'), cancel: of('cancel') };
}

// filled puts names into a template, or is null where one has no value.
function filled(text, panel, { block, item }) {
  const values = new Map([
    ['panel.id', panel.declaration.id],
    ['block.id', block?.id],
    ['item.id', item?.id],
    ['item.label', item?.label],
  ]);
  let resolved = true;
  const result = text.replace(NAME, (_, name) => {
    resolved &&= values.get(name) !== undefined;
    return values.get(name) ?? '';
  });
  return resolved ? result : null;
}

function strings(value) {
  if (typeof value === 'string') return [value];
  return value && typeof value === 'object' ? Object.values(value).flatMap(strings) : [];
}

export class Actions {
  notices = new Map(); // panel key → {text, isError}, of the last action there
  drafts = new Map(); // panel key → text that waits to be sent
  openMenu = ''; // id of its button
  #running = new Set();
  #bridge;
  #session;
  #changed;
  #poller;

  // changed draws the page again.
  constructor(bridge, session, poller, changed) {
    this.#bridge = bridge;
    this.#session = session;
    this.#poller = poller;
    this.#changed = changed;
  }

  get available() {
    return Boolean(this.#bridge.capabilities.serverTools);
  }

  get canSend() {
    return Boolean(this.#bridge.capabilities.message);
  }

  toggleMenu(id) {
    this.openMenu = this.openMenu === id ? '' : id;
    this.#changed();
  }

  async run(panel, action, target) {
    const key = panelKey(panel);
    const name = JSON.stringify([key, action.id, target.block?.id, target.item?.id]);
    if (this.#running.has(name)) return;
    this.#running.add(name);
    try {
      if (action.confirm && !(await confirmed(filled(action.confirm, panel, target), action.label))) return;
      if (action.kind === 'prompt') await this.#prompt(key, action, filled(action.text, panel, target));
      else await this.#dispatch(key, action, target);
    } catch (error) {
      this.#notice(key, error.message, true);
    } finally {
      this.#running.delete(name);
    }
  }

  async #prompt(key, action, text) {
    const seen = visible(text);
    if (action.send && this.canSend) {
      await this.#bridge.sendMessage(seen);
      this.note(key, `Sent: ${action.label}`);
      return;
    }
    this.drafts.set(key, seen);
    this.note(key, '');
  }

  async #dispatch(key, action, { block, item }) {
    const result = await this.#bridge.callTool('panel_action', {
      panel: key,
      action: action.id,
      ...(block && { block: block.id }),
      ...(item && { item: item.id }),
      token: this.#session.token,
    });
    this.#notice(key, resultText(result) || action.label, Boolean(result.isError));
    this.#poller.now();
  }

  async sendDraft(key, text) {
    try {
      await this.#bridge.sendMessage(text);
      this.closeDraft(key, 'Sent');
    } catch (error) {
      this.#notice(key, error.message, true);
    }
  }

  closeDraft(key, notice) {
    this.drafts.delete(key);
    this.note(key, notice);
  }

  note(key, text) {
    this.#notice(key, text, false);
  }

  #notice(key, text, isError) {
    this.notices.set(key, { text, isError });
    this.#changed();
  }
}
