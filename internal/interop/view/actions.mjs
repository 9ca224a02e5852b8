// Actions by the keyboard: with and without a question before, from buttons and
// from menus, prompts sent and prompts drafted.
import assert from 'node:assert/strict';
import { panel as panelOf, survey, todo } from './fixtures.mjs';
import { text } from './server.mjs';

export const options = {
  before: ({ server }) => server.show(todo),
};

export default async function (host) {
  const { server, view } = host;
  await host.result();
  const panel = view.getByRole('article', { name: 'Todo' });
  await panel.waitFor();
  assert.deepEqual(await panel.getByRole('button').evaluateAll((buttons) => buttons.map((button) => button.getAttribute('aria-label') ?? button.textContent)), [
    'Clear done',
    'Continue',
    'Ask about it: Read the brief',
    'Complete: Write it',
    'More actions: Write it',
    'Complete: Check it',
    'More actions: Check it',
  ]);

  server.answers.set('panel_action', () => text('2 items left'));
  await panel.getByRole('button', { name: 'Complete: Write it' }).focus();
  await host.press('Enter');
  await panel.getByRole('status').filter({ hasText: '2 items left' }).waitFor();
  await panel.getByRole('button', { name: 'Clear done' }).focus();
  await host.press('Space');
  const token = 'token-of-the-view';
  await host.until(() => server.calls.length === 2, 'two actions');
  assert.deepEqual(server.calls.splice(0), [
    { name: 'panel_action', arguments: { panel: 'local/todo#todo', action: 'complete', block: 'items', item: 'b', token } },
    { name: 'panel_action', arguments: { panel: 'local/todo#todo', action: 'clear', token } },
  ]);

  // The menu opens by Enter and arrows, goes round, and closes by Escape.
  const more = panel.getByRole('button', { name: 'More actions: Check it' });
  await more.focus();
  await host.press('ArrowDown');
  assert.equal(await host.focused(), 'Skip');
  await host.press('ArrowDown');
  assert.equal(await host.focused(), 'Ask about it');
  await host.press('ArrowDown');
  assert.equal(await host.focused(), 'Skip');
  await host.press('ArrowUp');
  assert.equal(await host.focused(), 'Ask about it');
  await host.press('Escape');
  assert.equal(await host.focused(), 'More actions: Check it');
  assert.equal(await view.getByRole('menu').count(), 0);
  await host.press('Enter', 'Tab');
  assert.equal(await view.getByRole('menu').count(), 0);

  // The dialog keeps the focus in, and gives it back.
  await more.focus();
  await host.press('Enter', 'Enter');
  const dialog = view.getByRole('dialog', { name: 'Skip "Check it"?' });
  await dialog.waitFor();
  assert.equal(await host.focused(), 'Go back');
  await host.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  assert.equal(await host.focused(), 'More actions: Check it');
  assert.deepEqual(server.calls, [], 'an action ran although the person went back');
  await host.press('Enter', 'Enter', 'Tab');
  assert.equal(await host.focused(), 'Skip');
  server.answers.set('panel_action', () => text('denied by a rule', true));
  await host.press('Enter');
  await panel.getByRole('alert').filter({ hasText: 'denied by a rule' }).waitFor();
  assert.deepEqual(server.calls.splice(0), [{ name: 'panel_action', arguments: { panel: 'local/todo#todo', action: 'skip', block: 'items', item: 'c', token } }]);

  await more.focus();
  await host.press('Enter', 'ArrowUp', 'Enter');
  await host.until(() => host.messages.length === 1, 'a message');
  assert.deepEqual(host.messages.splice(0), [{ role: 'user', content: [{ type: 'text', text: 'What about "Check it"?' }] }]);

  // A draft is the person's to change before it is sent.
  await panel.getByRole('button', { name: 'Continue' }).focus();
  await host.press('Enter');
  const draft = panel.getByRole('textbox', { name: 'Message to send' });
  assert.equal(await draft.inputValue(), 'Go on with todo.');
  await draft.press('End');
  await host.page.keyboard.type(' Now.');
  assert.deepEqual(host.messages, []);
  await host.press('Tab', 'Enter');
  await panel.getByRole('status').filter({ hasText: 'Sent' }).waitFor();
  assert.deepEqual(host.messages, [{ role: 'user', content: [{ type: 'text', text: 'Go on with todo. Now.' }] }]);
  assert.equal(await draft.count(), 0);

  // In a chat panel, the action names the view of its call.
  server.show({ ...survey, declaration: { ...survey.declaration, actions: [{ id: 'again', label: 'Again', scope: 'panel', kind: 'tool', arguments: {} }] } });
  await host.result([server.panels[1]]);
  await view.getByRole('button', { name: 'Again' }).click();
  await host.until(() => server.calls.length === 1, 'an action');
  assert.equal(server.calls[0].arguments.panel, 'local/ask_user#ask_user@i-7');

  // A row has no label to fill in; its first cell names it to a person.
  const item = { scope: 'item', kind: 'tool' };
  const targets = panelOf('targets', {
    title: 'Targets',
    blocks: [{ id: 't', kind: 'table', columns: [{ id: 'os', label: 'System' }], rows: [{ id: 'l', cells: { os: 'Linux' } }] }],
  }, { declaration: { actions: [{ ...item, id: 'build', label: 'Build', arguments: { row: '{{item.id}}' } }, { ...item, id: 'name', label: 'Name', arguments: { row: '{{item.label}}' } }] } });
  server.show(targets);
  await host.result([targets]);
  assert.deepEqual(await view.getByRole('table').getByRole('button').evaluateAll((buttons) => buttons.map((button) => button.getAttribute('aria-label'))), ['Build: Linux']);
}
