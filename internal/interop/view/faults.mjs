// Answers that are refused, by the view or by the server: the fault is shown at
// its field, the summary has the focus, and nothing that was entered is lost.
import assert from 'node:assert/strict';
import { question, survey } from './fixtures.mjs';
import { text } from './server.mjs';

export const options = {
  before: ({ server }) => {
    server.show(survey);
    server.questions = [question()];
  },
};

export default async function (host) {
  const { server, view } = host;
  const name = view.getByRole('textbox', { name: /^Name/ });
  const submit = view.getByRole('button', { name: 'Send answer' });
  await name.fill('a name that is far too long for this');
  await submit.click();
  assert.equal(server.calls.length, 0, 'a form with gaps was sent');
  const summary = view.getByRole('alert').filter({ hasText: 'not accepted' });
  assert.deepEqual(await summary.getByRole('listitem').allTextContents(), [
    'Name of the branch: 36 bytes; the limit is 20',
    'Mode: an answer is required',
    'Targets: an answer is required',
  ]);
  assert.match(await host.focused(), /^The answer was not accepted:/);
  assert.equal(await name.getAttribute('aria-invalid'), 'true');
  assert.equal(await view.getByRole('radiogroup').getAttribute('aria-invalid'), 'true');
  await host.press('Tab', 'Enter');
  assert.ok(await name.evaluate((element) => element === document.activeElement), 'the entry of the summary does not lead to its field');
  await described(name, /Short, please\..*36 of 20 bytes.*the limit is 20/);

  await name.fill('taken');
  await view.getByRole('radio', { name: 'Fast' }).check();
  for (const target of ['Linux', 'macOS', 'Windows']) await view.getByRole('checkbox', { name: target }).check();
  await submit.click();
  await described(view.getByRole('group', { name: /^Targets/ }), /3 chosen; at most 2/);
  await view.getByRole('checkbox', { name: 'macOS' }).uncheck();

  server.answers.set('form_answer', () => text('the answer is not valid:\n/answers/name: a branch of that name exists\n/answers/targets/1: not today', true));
  await submit.click();
  await described(name, /a branch of that name exists/);
  await described(view.getByRole('group', { name: /^Targets/ }), /not today/);
  assert.equal(await name.inputValue(), 'taken');
  assert.ok(await view.getByRole('radio', { name: 'Fast' }).isChecked());
  assert.deepEqual(await view.getByRole('checkbox', { checked: true }).count(), 2);

  // The same again is one answer; another answer is another.
  await submit.click();
  await name.fill('free');
  await submit.click();
  await host.until(() => server.calls.length === 3, 'three answers');
  const [first, second, third] = server.calls.map((call) => call.arguments.idempotencyKey);
  assert.equal(first, second);
  assert.notEqual(second, third);

  // A conflict says so, and the next poll settles the question.
  server.answers.set('form_answer', () => {
    server.questions = [];
    return text('q-1 is answered already\n[interaction_conflict]', true);
  });
  await submit.click();
  await view.getByText('No longer open').waitFor();
  assert.equal(await view.getByRole('textbox').count(), 0);
}

async function described(locator, want) {
  await locator.waitFor();
  const text = () => locator.evaluate((element) => element.getAttribute('aria-describedby').split(' ').map((id) => document.getElementById(id).textContent).join(' '));
  const deadline = Date.now() + 10_000;
  while (!want.test(await text())) assert.ok(Date.now() < deadline, `described as ${await text()}, want ${want}`);
}
