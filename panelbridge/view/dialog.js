// Asking before an action: a modal dialog, which keeps the focus in and gives
// it back.
import { h, patch } from './dom.js';

// confirmed resolves to whether the person agrees.
export function confirmed(question, label) {
  const dialog = document.createElement('dialog');
  dialog.setAttribute('aria-labelledby', 'confirm-question');
  patch(dialog, [
    h('p', { id: 'confirm-question' }, question),
    h(
      'div',
      { class: 'buttons' },
      h('button', { type: 'button', onclick: () => dialog.close('') }, 'Go back'),
      h('button', { type: 'button', class: 'primary', onclick: () => dialog.close('yes') }, label),
    ),
  ]);
  document.body.append(dialog);
  document.body.classList.add('has-dialog');
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.onclose = () => {
      document.body.classList.remove('has-dialog');
      dialog.remove();
      resolve(dialog.returnValue === 'yes');
    };
  });
}
