// A form answered with the keyboard alone, in the panel that asks.
import assert from 'node:assert/strict';
import { question, survey } from './fixtures.mjs';

export const options = {
  before: ({ server }) => {
    server.show(survey);
    server.questions = [question()];
  },
};

export default async function (host) {
  const { server, view } = host;
  const form = view.getByRole('article', { name: 'Survey' }).getByRole('form', { name: 'How shall we go on?' });
  await form.waitFor();
  await view.getByRole('textbox', { name: 'Name of the branch (required)' }).waitFor();
  server.answers.set('form_answer', () => {
    server.questions = [];
    return { content: [{ type: 'text', text: 'recorded' }] };
  });

  await host.page.locator('iframe').focus();
  await host.press('Tab');
  await host.page.keyboard.type('größer');
  await form.getByText('8 of 20 bytes').waitFor();
  await host.press('Tab');
  await host.page.keyboard.type('two');
  await host.press('Enter');
  await host.page.keyboard.type('lines');
  await host.press('Tab', 'Space', 'ArrowDown');
  await host.press('Tab', 'Space', 'Tab', 'Tab', 'Space');
  await host.press('Tab', 'Enter');
  await view.getByText('Answered').waitFor();

  const [call] = server.calls;
  assert.match(call.arguments.idempotencyKey, /^[0-9a-f]{32}$/);
  assert.deepEqual(server.calls, [
    {
      name: 'form_answer',
      arguments: {
        requestId: 'q-1',
        expectedRevision: 1,
        idempotencyKey: call.arguments.idempotencyKey,
        answers: { name: 'größer', why: 'two\nlines', mode: 'safe', targets: ['linux', 'win'] },
        token: 'token-of-the-view',
      },
    },
  ]);
  assert.equal(await host.focused(), 'How shall we go on?');
  assert.match(await form.ariaSnapshot(), /Answered[^]*Name of the branch[^]*größer[^]*Mode[^]*Safe[^]*Targets[^]*Linux, Windows/);
  assert.equal(await form.getByRole('textbox').count(), 0);
}
