// Plays a scenario, JSON on standard input, against an MCP server with a
// published SDK client, and prints what happened as JSON. See scenario and
// report in peers_test.go for the two shapes.
import { existsSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';

const scenario = JSON.parse(await text(process.stdin));
const report = { asked: [], withdrawn: [], notifications: [], faults: [], stderr: '', steps: [] };

const sdk = await load(scenario.era);
const client = new sdk.Client({ name: 'interop', version: '1.0.0' }, sdk.options);
client.onerror = (e) => report.faults.push(e.message);
client.fallbackNotificationHandler = async (n) => void report.notifications.push({ method: n.method, uri: n.params?.uri });
let leaving;
if (scenario.elicit) client.setRequestHandler(sdk.elicitation, answer);

const [command, ...args] = scenario.command;
const transport = new sdk.Transport({
  command,
  args,
  cwd: scenario.cwd,
  env: { ...sdk.environment(), ...scenario.env },
  stderr: 'pipe',
});
transport.stderr.on('data', (chunk) => (report.stderr += chunk));

await client.connect(transport);
const pid = transport.pid;
report.protocol = sdk.protocol(client, transport);
report.server = client.getServerVersion();
report.capabilities = client.getServerCapabilities();
report.instructions = client.getInstructions() ?? '';
for (const step of scenario.steps) report.steps.push(await play(step));
await (leaving ?? client.close());
report.left = alive(pid);
console.log(JSON.stringify(report));

// The v1 line has one package and only the initialize handshake; the v2 line
// speaks both, and in "discover" no other.
async function load(era) {
  const capabilities = scenario.elicit ? { elicitation: { form: {} } } : {};
  if (era === 'v1') {
    const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
    const { StdioClientTransport, getDefaultEnvironment } = await import('@modelcontextprotocol/sdk/client/stdio.js');
    const { ElicitRequestSchema } = await import('@modelcontextprotocol/sdk/types.js');
    class Transport extends StdioClientTransport {
      setProtocolVersion(version) {
        this.version = version;
      }
    }
    return {
      Client,
      Transport,
      options: { capabilities },
      elicitation: ElicitRequestSchema,
      environment: getDefaultEnvironment,
      protocol: (_, transport) => transport.version,
      call: (params, options) => client.callTool(params, undefined, options),
      request: ({ requestId, signal }) => ({ id: requestId, signal }),
      subscribe: (uri) => client.subscribeResource({ uri }),
    };
  }
  const { Client } = await import('@modelcontextprotocol/client');
  const { StdioClientTransport, getDefaultEnvironment } = await import('@modelcontextprotocol/client/stdio');
  const mode = { initialize: 'legacy', auto: 'auto', discover: { pin: '2026-07-28' } }[era];
  if (mode === undefined) throw new Error(`unknown era ${era}`);
  return {
    Client,
    Transport: StdioClientTransport,
    options: { capabilities, versionNegotiation: { mode } },
    elicitation: 'elicitation/create',
    environment: getDefaultEnvironment,
    protocol: (client) => client.getNegotiatedProtocolVersion(),
    call: (params, options) => client.callTool(params, options),
    request: ({ mcpReq: { id, signal } }) => ({ id, signal }),
    subscribe: (uri) =>
      era === 'initialize'
        ? client.subscribeResource({ uri })
        : client.listen({ resourceSubscriptions: [uri], resourcesListChanged: true }).then((s) => s.honoredFilter),
  };
}

// The answer to a question: the next of the list, whose last one repeats.
async function answer(request, context) {
  const answers = [scenario.elicit].flat();
  const { after, leave, ...result } = answers[Math.min(report.asked.push(request.params), answers.length) - 1];
  if (leave) {
    await (leaving = client.close());
    throw new Error('the client has left');
  }
  if (after) await setTimeout(after);
  const { id, signal } = sdk.request(context);
  if (signal.aborted) {
    // The SDK sends no answer to what the server took back. This client does.
    report.withdrawn.push(request.params.message);
    await transport.send({ jsonrpc: '2.0', id, result });
  }
  return result;
}

async function play(step) {
  try {
    if (step.together) return { together: await Promise.all(step.together.map(play)) };
    if (step.list) return { tools: (await client.listTools()).tools };
    if (step.resources) return { resources: (await client.listResources()).resources };
    if (step.read) return { contents: (await client.readResource({ uri: step.read })).contents };
    if (step.subscribe) return { subscribed: await sdk.subscribe(step.subscribe) };
    if (step.updated) return { updated: await updated(step.updated) };
    const progress = [];
    const options = { onprogress: (p) => progress.push(p) };
    if (step.cancelOnce) options.signal = cancelOnce(step.cancelOnce);
    const result = await sdk.call({ name: step.call, arguments: step.arguments ?? {} }, options);
    return { result, progress };
  } catch (e) {
    return { error: { code: String(e.code ?? ''), message: e.message } };
  }
}

// Takes the next notification that a resource has changed.
async function updated(uri) {
  for (let n = 0; n < 1000; n++) {
    const at = report.notifications.findIndex((n) => n.method === 'notifications/resources/updated' && n.uri === uri);
    if (at >= 0) return report.notifications.splice(at, 1)[0].uri;
    await setTimeout(10);
  }
  throw new Error(`no notification that ${uri} has changed`);
}

// A signal that fires once a file is there: the call itself says that it runs.
function cancelOnce(file) {
  const abort = new AbortController();
  const timer = setInterval(() => {
    if (!existsSync(file)) return;
    clearInterval(timer);
    abort.abort('cancelled by the scenario');
  }, 10);
  return abort.signal;
}

function alive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
