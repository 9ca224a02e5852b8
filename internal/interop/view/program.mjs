// Has raw-mcp itself behind the view: node program.mjs SCENARIO, and on standard
// input who starts it and how, as client.mjs takes it. The client shows apps and
// no forms; AppBridge hands on to it what the view asks of the server.
import assert from 'node:assert/strict';
import { text } from 'node:stream/consumers';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport, getDefaultEnvironment } from '@modelcontextprotocol/client/stdio';
import { Host } from './host.mjs';

const PAGE = 'ui://raw/panels';
const TYPE = 'text/html;profile=mcp-app';

const scenario = process.argv[2];
const scenarios = { todo, question, approval_denied: refused, approval_required: refused };
const { era, cwd, env, command: [command, ...args] } = JSON.parse(await text(process.stdin));
const client = new Client({ name: 'interop', version: '1.0.0' }, {
  capabilities: { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: [TYPE] } } },
  versionNegotiation: { mode: era === 'discover' ? { pin: '2026-07-28' } : 'legacy' },
});
const transport = new StdioClientTransport({ command, args, cwd, env: { ...getDefaultEnvironment(), ...env }, stderr: 'pipe' });
let log = '';
transport.stderr.on('data', (chunk) => (log += chunk));
const host = new Host({ client, capabilities: { serverTools: {}, serverResources: {}, message: {} } });
client.onerror = (error) => host.faults.push(error.message);
try {
  await client.connect(transport);
  await scenarios[scenario]();
  host.checkQuiet();
} catch (error) {
  console.error(error, host.faults, log);
  process.exitCode = 1;
} finally {
  await host.close();
  await client.close();
}

// The person changes the list, and the model hears of it with its next call.
async function todo() {
  const items = ['read', 'write', 'check'].map((content) => ({ content, status: 'pending' }));
  const panel = await openTodo(items);
  await tabTo('Complete: read');
  await host.press('Enter');
  await row(panel, 'read', 'done');
  await tabTo('More actions: write');
  await host.press('ArrowDown');
  assert.equal(await host.focused(), 'Skip');
  await host.press('Enter');
  await row(panel, 'write', 'skipped');
  await row(panel, 'check', 'pending');

  const [list, news, ...more] = texts(await call('todo_write', { todos: [...items.slice(2), { content: 'ship', status: 'in_progress' }] }));
  assert.equal(list, '[ ] check\n[~] ship');
  assert.equal(news, [
    'The user ran "Complete" on Todo; builtin/todo_write returned: [x] read [ ] write [ ] check',
    'The user ran "Skip" on Todo; builtin/todo_write returned: [x] read [-] write [ ] check',
  ].join('\n'));
  assert.deepEqual(more, []);
  await row(panel, 'ship', 'in progress');
  await panel.getByText('read', { exact: true }).waitFor({ state: 'detached' });
}

// The call waits for the person, who answers in the view that it has opened.
async function question() {
  await open('tool_call');
  const { view } = host;
  const asked = {
    title: 'How to go on?',
    questions: [
      { id: 'why', label: 'Why?', kind: 'text', max_bytes: 10 },
      { id: 'which', label: 'Which?', kind: 'single_select', options: [{ id: 'l', label: 'left' }, { id: 'r', label: 'right' }] },
      { id: 'with', label: 'With', kind: 'multi_select', options: [{ id: 'x', label: 'X' }, { id: 'y', label: 'Y' }, { id: 'z', label: 'Z' }] },
    ],
  };
  const input = { name: 'ask_user', arguments: asked };
  await host.bridge.sendToolInput({ arguments: input });
  let ended = false;
  const answer = call('tool_call', input).finally(() => (ended = true));
  const form = view.getByRole('form', { name: 'How to go on?' });
  await form.getByRole('textbox', { name: 'Why? (required)' }).waitFor();
  assert.equal(ended, false, 'the call did not wait for an answer');

  await host.page.locator('iframe').focus();
  await host.press('Tab');
  await host.page.keyboard.type('größer');
  await host.press('Tab', 'Space', 'ArrowDown', 'Tab', 'Tab', 'Space', 'Tab', 'Space', 'Tab', 'Enter');
  await form.getByText('Answered').waitFor();
  const result = await answer;
  const [object, ...more] = texts(result);
  assert.deepEqual(JSON.parse(object), { status: 'answered', answers: { why: 'größer', which: 'r', with: ['y', 'z'] } });
  assert.deepEqual(more, []);
  await host.bridge.sendToolResult(result);
  const panel = view.getByRole('article', { name: 'How to go on?' });
  await panel.getByText('answered').waitFor();
  assert.deepEqual(await panel.getByRole('definition').allTextContents(), ['größer', 'right', 'Y, Z']);
}

// An action that is refused, with the scenario's name for its code, says so and
// changes nothing.
async function refused() {
  const panel = await openTodo([{ content: 'read', status: 'pending' }]);
  await tabTo('Complete: read');
  await host.press('Enter');
  await panel.getByRole('alert').filter({ hasText: `[${scenario}]` }).waitFor();
  await row(panel, 'read', 'pending');
  const { contents: [state] } = await client.readResource({ uri: 'panel://builtin/todo_write/todo' });
  assert.equal(JSON.parse(state.text).revision, 1);
}

// openTodo has the model write a list, and opens its view.
async function openTodo(todos) {
  await open('todo_write');
  await host.bridge.sendToolInput({ arguments: { todos } });
  await host.bridge.sendToolResult(await call('todo_write', { todos }));
  const panel = host.view.getByRole('article', { name: 'Todo' });
  await panel.waitFor();
  await host.page.locator('iframe').focus();
  return panel;
}

// open loads the view that the server has for a tool.
async function open(name) {
  const { tools } = await client.listTools();
  assert.equal(tools.find((tool) => tool.name === name)._meta.ui.resourceUri, PAGE);
  const { contents: [page] } = await client.readResource({ uri: PAGE });
  assert.equal(page.mimeType, TYPE);
  await host.open(page.text, {});
}

function call(name, input) {
  return client.callTool({ name, arguments: input });
}

function texts({ content, isError }) {
  assert.ok(!isError, content[0].text);
  return content.map((part) => part.text);
}

async function row(panel, label, status) {
  await panel.getByRole('listitem').filter({ hasText: label }).getByRole('img', { name: status, exact: true }).waitFor();
}

async function tabTo(name) {
  for (let n = 0; n < 30 && (await host.focused()) !== name; n++) await host.press('Tab');
  assert.equal(await host.focused(), name);
}
