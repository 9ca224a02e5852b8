// A question that is dropped, and one that expires, of a panel that is not
// shown. A chat panel of another call stays with that call.
import assert from 'node:assert/strict';
import { question, survey, todo } from './fixtures.mjs';

export const options = {
  before: ({ server }) => {
    server.show(todo);
    server.show(survey);
    server.show({ ...survey, view: { ...survey.view, instanceId: 'i-8' }, document: { ...survey.document, title: 'Of another call' } });
    server.questions = [question(), question({ id: 'q-2', panel: 'mcp/git/push#confirm', view: undefined, title: 'Push?', form: { fields: [{ id: 'sure', kind: 'text', label: 'Word' }] } })];
  },
};

export default async function (host) {
  const { server, view } = host;
  await view.getByRole('article', { name: 'Of another call' }).waitFor();
  await host.result([survey]);
  await view.getByRole('article', { name: 'Of another call' }).waitFor({ state: 'detached' });
  await view.getByRole('button', { name: 'No answer' }).click();
  await view.getByText('Cancelled', { exact: true }).waitFor();
  assert.deepEqual(server.calls, [
    { name: 'form_answer', arguments: { requestId: 'q-1', expectedRevision: 1, idempotencyKey: server.calls[0].arguments.idempotencyKey, cancel: true, token: 'token-of-the-view' } },
  ]);

  const push = view.getByRole('form', { name: 'Push?' });
  await push.getByRole('button', { name: 'Submit' }).waitFor();
  assert.equal(await view.getByRole('article').getByRole('form', { name: 'Push?' }).count(), 0);
  server.questions = [{ ...server.questions[1], deadline: Date.now() - 1, revision: 2 }];
  await host.until(() => server.polls.length > 2, 'a poll');
  server.questions = [];
  await push.getByText('Expired').waitFor();
}
