// A list that is polled: what the person reads, types and has focused stays.
import assert from 'node:assert/strict';
import { panel, question, todo } from './fixtures.mjs';

const rows = (from, count) => Array.from({ length: count }, (_, i) => ({ id: `r${from + i}`, label: `Row ${from + i}`, status: 'pending' }));
const list = (items, events = []) =>
  panel('list', {
    title: 'List',
    blocks: [
      { id: 'rows', kind: 'checklist', items },
      { id: 'log', kind: 'timeline', events },
    ],
  });

export const options = {
  viewport: { width: 600, height: 400 },
  before: ({ server }) => {
    server.show(list(rows(100, 60)));
    server.show(todo);
    server.questions = [question({ id: 'q-9', panel: 'mcp/x/y#z', view: undefined, title: 'Word?', form: { fields: [{ id: 'w', kind: 'text', label: 'Word', max_bytes: 99 }] } })];
  },
};

export default async function (host) {
  const { server, view, frame } = host;
  await host.result([server.panels[0]]);
  const word = view.getByRole('textbox', { name: 'Word' });
  const row = (n) => view.getByText(`Row ${n}`, { exact: true });
  await word.fill('half a wo');
  await row(110).evaluate((element) => element.closest('[data-anchor]').scrollIntoView({ block: 'start' }));
  const top = () => row(110).evaluate((element) => element.getBoundingClientRect().top);
  const before = await top();
  const kept = await row(130).evaluateHandle((element) => element.closest('li'));

  // Scrolled away from the focus: rows come in above, and one above goes.
  server.show(list([...rows(0, 25), ...rows(101, 59)], [{ id: 'e1', label: 'first event' }]));
  await row(24).waitFor({ state: 'attached' });
  assert.ok(Math.abs((await top()) - before) < 1, `the row that was read moved from ${before} to ${await top()}`);
  assert.ok(await kept.evaluate((element) => element.isConnected), 'a row that stays was made anew');
  assert.equal(await word.inputValue(), 'half a wo');
  assert.ok(await word.evaluate((element) => element === document.activeElement), 'the focus was lost');
  await view.locator('#announcements').filter({ hasText: 'List info: first event' }).waitFor();

  // Typing goes on while the list is sorted the other way round.
  await word.press('End');
  await host.page.keyboard.type('r');
  server.show(list(rows(101, 59).reverse()));
  await host.until(() => server.polls.length > 2, 'polls');
  await host.page.keyboard.type('d');
  await frame.waitForFunction(() => document.querySelector('li .label').textContent === 'Row 159');
  assert.equal(await word.inputValue(), 'half a word');

  // The button that has the focus keeps it, also when its row moves.
  await view.getByText('Other panels').waitFor();
  await view.locator('summary').filter({ hasText: 'Todo' }).click();
  const complete = view.getByRole('button', { name: 'Complete: Write it' });
  await complete.focus();
  await complete.evaluate((button) => button.addEventListener('blur', () => (window.blurred = true)));
  const items = todo.document.blocks[0].items;
  server.show({ ...todo, revision: 2, summary: 'turned', document: { ...todo.document, blocks: [{ id: 'new', kind: 'markdown', text: 'New' }, { ...todo.document.blocks[0], items: [...items].reverse() }] } });
  await view.getByText('turned').waitFor();
  assert.equal(await host.focused(), 'Complete: Write it');
  assert.equal(await frame.evaluate(() => window.blurred), undefined, 'the focus left for a moment');
  assert.ok(await view.getByRole('button', { name: 'Clear done' }).isVisible(), 'an opened panel was closed');

  // A panel that was shown live, and then came to nothing, goes again.
  server.show(panel('draft', { title: 'Draft', blocks: [] }));
  await view.locator('summary').filter({ hasText: 'Draft' }).waitFor();
  server.show(panel('draft', {}, { document: null }));
  await view.locator('summary').filter({ hasText: 'Draft' }).waitFor({ state: 'detached' });
  server.removed = ['local/todo#todo'];
  await view.getByText('Other panels').waitFor({ state: 'detached' });
}
