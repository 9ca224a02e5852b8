// A prompt that waits for the person: to be changed, sent or copied.
import { h } from './dom.js';
import { idOf } from './ids.js';
import { panelKey } from './session.js';

export function draftBox({ panel, actions }) {
  const key = panelKey(panel);
  if (!actions.drafts.has(key)) return null;
  const text = actions.drafts.get(key);
  const id = idOf(`draft ${key}`);
  const box = () => document.getElementById(id);
  return h(
    'div',
    { class: 'draft', key: `draft ${text}` },
    h('label', { for: id }, 'Message to send'),
    h('textarea', { id, rows: '4', initial: { value: text } }),
    h(
      'div',
      { class: 'buttons' },
      actions.canSend && h('button', { type: 'button', class: 'primary', onclick: () => actions.sendDraft(key, box().value) }, 'Send'),
      h('button', { type: 'button', onclick: () => copy(box(), actions, key) }, 'Copy'),
      h('button', { type: 'button', onclick: () => actions.closeDraft(key, '') }, 'Discard'),
    ),
  );
}

// The clipboard interface needs a permission that the view does not ask for.
function copy(box, actions, key) {
  box.select();
  actions.note(key, document.execCommand('copy') ? 'Copied' : 'The text is selected: copy it with the keyboard.');
}
