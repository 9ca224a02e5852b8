// When the view asks for news, by a clock that the test turns: every second,
// every five when nothing has happened for a minute, later after errors, not
// while hidden, and never again after the teardown.
import assert from 'node:assert/strict';
import { panel, todo } from './fixtures.mjs';
import { text } from './server.mjs';

const SECOND = 1_000;

export const options = {
  clock: true,
  before: ({ server }) => server.show(todo),
};

export default async function (host) {
  const { server, view, frame, page } = host;
  const settled = () => frame.evaluate(() => new Promise((resolve) => resolve()));
  // pass lets time go by in steps, so that each answer arrives before the next timer.
  const pass = async (seconds) => {
    const before = server.polls.length;
    for (let i = 0; i < seconds; i++) {
      await page.clock.runFor(SECOND);
      await settled();
    }
    return server.polls.length - before;
  };
  const between = (count, least, most, what) => assert.ok(count >= least && count <= most, `${what}: ${count} polls, want ${least} to ${most}`);

  await host.result();
  await view.getByRole('article', { name: 'Todo' }).waitFor();
  assert.equal(server.polls[0], '', 'the first poll must ask for everything');
  between(await pass(20), 18, 21, 'while active');
  await pass(60);
  between(await pass(50), 9, 11, 'after a quiet minute');
  assert.equal(server.polls.at(-1), '2', 'a poll must say what the view has');

  // A change makes it quick again; a session with nothing to wait for is slow.
  server.show({ ...todo, revision: 2, document: { ...todo.document, subtitle: 'changed' } });
  await pass(6);
  await view.getByText('changed').waitFor();
  between(await pass(10), 8, 11, 'after news');
  server.show(panel('todo', { title: 'Todo', status: 'done', blocks: [] }));
  await pass(2);
  between(await pass(50), 9, 11, 'when all is done');

  // Errors: 1, 2, 4, 8, 16 and then 30 seconds apart.
  server.answers.set('panel_poll', () => text('gone', true));
  await pass(5);
  between(await pass(60), 4, 6, 'while it fails');
  server.answers.set('panel_poll', () => {
    throw new Error('no server');
  });
  between(await pass(120), 3, 5, 'while it fails for long');
  await view.getByText('What is shown may be old').waitFor();
  server.answers.delete('panel_poll');
  await pass(31);
  between(await pass(50), 9, 11, 'after it has recovered');
  assert.equal(await view.getByText('What is shown may be old').count(), 0);

  // An answer that is late: no second poll meanwhile.
  let answer;
  server.answers.set('panel_poll', () => new Promise((resolve) => (answer = resolve)));
  await pass(6);
  assert.equal(await pass(15), 0, 'a second poll went out beside the first');
  server.answers.delete('panel_poll');
  answer(await server.call({ name: 'panel_poll', arguments: { cursor: '' } }));
  await settled();
  between(await pass(25), 4, 6, 'after the late answer');

  const hide = (hidden) =>
    frame.evaluate((value) => {
      Object.defineProperty(document, 'hidden', { value, configurable: true });
      document.dispatchEvent(new Event('visibilitychange'));
    }, hidden);
  await hide(true);
  assert.equal(await pass(30), 0, 'it polled while hidden');
  await hide(false);
  await host.until(() => server.polls.at(-1) !== undefined, 'a poll');
  between(await pass(20), 3, 21, 'seen again');

  assert.deepEqual(await host.bridge.teardownResource({}), {});
  assert.equal(await pass(60), 0, 'it polled after the teardown');
}
