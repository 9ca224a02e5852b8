// Plays a scenario, JSON on standard input, against an MCP server with a
// published SDK client, and prints what happened as JSON. See scenario and
// report in peers_test.go for the two shapes.
import { existsSync } from 'node:fs';
import { text } from 'node:stream/consumers';

const scenario = JSON.parse(await text(process.stdin));
const report = { asked: [], notifications: [], faults: [], stderr: '', steps: [] };

const sdk = await load(scenario.era);
const client = new sdk.Client({ name: 'interop', version: '1.0.0' }, sdk.options);
client.onerror = (e) => report.faults.push(e.message);
client.fallbackNotificationHandler = async (n) => void report.notifications.push(n.method);
if (scenario.elicit) {
  client.setRequestHandler(sdk.elicitation, async (request) => {
    report.asked.push(request.params);
    return scenario.elicit;
  });
}

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
await client.close();
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
  };
}

async function play(step) {
  try {
    if (step.together) return { together: await Promise.all(step.together.map(play)) };
    if (step.list) return { tools: (await client.listTools()).tools };
    const progress = [];
    const options = { onprogress: (p) => progress.push(p) };
    if (step.cancelOnce) options.signal = cancelOnce(step.cancelOnce);
    const result = await sdk.call({ name: step.call, arguments: step.arguments ?? {} }, options);
    return { result, progress };
  } catch (e) {
    return { error: { code: String(e.code ?? ''), message: e.message } };
  }
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
