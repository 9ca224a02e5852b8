// A host that lets the view call no tools: it shows the result, and asks nothing.
// Whatever a result lacks, the view stands.
import assert from 'node:assert/strict';
import { everything, todo } from './fixtures.mjs';

export const options = {
  capabilities: {},
  before: ({ server }) => server.show(todo),
};

export default async function (host) {
  const { server, view } = host;
  await view.getByText('Waiting for the first panel.').waitFor();
  await host.result();
  const panel = view.getByRole('article', { name: 'Todo' });
  await panel.waitFor();
  const buttons = await panel.getByRole('button').allTextContents();
  assert.deepEqual([...new Set(buttons)], ['Continue', 'Ask about it'], 'only prompts are to be had');
  // Without messages, a prompt is there to be copied.
  await panel.getByRole('button', { name: 'Ask about it: Write it' }).click();
  assert.equal(await panel.getByRole('textbox').inputValue(), 'What about "Write it"?');
  assert.equal(await panel.getByRole('button', { name: 'Send' }).count(), 0);
  await panel.getByRole('button', { name: 'Copy' }).click();
  await panel.getByRole('status').filter({ hasText: /Copied|selected/ }).waitFor();
  await panel.getByRole('button', { name: 'Discard' }).click();
  assert.equal(await panel.getByRole('textbox').count(), 0);

  await host.bridge.sendToolResult({ content: [{ type: 'text', text: 'no panels' }] });
  await host.bridge.sendToolCancelled({ reason: 'by hand' });
  await view.getByText('The call was cancelled: by hand').waitFor();
  await host.result([{ ...everything, revision: 4 }]);
  await view.getByRole('heading', { name: 'Release' }).waitFor();
  assert.deepEqual([server.calls, server.polls], [[], []]);
}
