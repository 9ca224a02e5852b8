// Records the tools that published MCP servers declare, into tools.json.
//
//   node record.mjs WORKDIR > tools.json
//
// installs each package into its own folder below WORKDIR (npm, install scripts
// off), starts it over stdio with the dummy credentials below and asks
// initialize and tools/list. Nothing is called. Annotations, titles, output
// schemas and _meta are dropped; descriptions and input schemas stay as they came.
// WORKDIR becomes /project in what they say. A server that does not answer is named
// on standard error and left out.
import { spawn, execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";

const work = resolve(process.argv[2] ?? "work");
const only = process.argv[3]; // one server by name
const somewhere = "127.0.0.1:9"; // nobody listens

const servers = [
  { server: "everything", npm: "@modelcontextprotocol/server-everything@2026.8.31", args: ["stdio"] },
  { server: "filesystem", npm: "@modelcontextprotocol/server-filesystem@2026.8.31", args: [work] },
  { server: "memory", npm: "@modelcontextprotocol/server-memory@2026.8.31" },
  { server: "thinking", npm: "@modelcontextprotocol/server-sequential-thinking@2026.8.31" },
  { server: "github", npm: "@modelcontextprotocol/server-github@2025.4.8", env: { GITHUB_PERSONAL_ACCESS_TOKEN: "dummy" } },
  { server: "gitlab", npm: "@modelcontextprotocol/server-gitlab@2025.4.25", env: { GITLAB_PERSONAL_ACCESS_TOKEN: "dummy" } },
  { server: "slack", npm: "@modelcontextprotocol/server-slack@2025.4.25", env: { SLACK_BOT_TOKEN: "xoxb-dummy", SLACK_TEAM_ID: "T0" } },
  { server: "postgres", npm: "@modelcontextprotocol/server-postgres@0.6.2", args: [`postgres://u:p@${somewhere}/d`] },
  { server: "maps", npm: "@modelcontextprotocol/server-google-maps@0.6.2", env: { GOOGLE_MAPS_API_KEY: "dummy" } },
  { server: "playwright", npm: "@playwright/mcp@0.0.83" },
  { server: "devtools", npm: "chrome-devtools-mcp@1.11.0" },
  { server: "notion", npm: "@notionhq/notion-mcp-server@2.5.2", env: { NOTION_TOKEN: "ntn_dummy" } },
  { server: "firecrawl", npm: "firecrawl-mcp@3.26.0", env: { FIRECRAWL_API_KEY: "fc-dummy" } },
  { server: "figma", npm: "figma-developer-mcp@0.13.2", args: ["--stdio", "--figma-api-key=dummy"] },
  { server: "context7", npm: "@upstash/context7-mcp@4.1.1" },
  { server: "mongodb", npm: "mongodb-mcp-server@3.0.4", env: { MDB_MCP_CONNECTION_STRING: `mongodb://${somewhere}`, MDB_MCP_TELEMETRY: "disabled" } },
  { server: "kubernetes", npm: "mcp-server-kubernetes@4.1.7" },
  { server: "sentry", npm: "@sentry/mcp-server@0.39.0", args: ["--access-token=dummy"] },
  { server: "exa", npm: "exa-mcp-server@3.4.1", env: { EXA_API_KEY: "dummy" } },
  { server: "tavily", npm: "tavily-mcp@0.2.22", env: { TAVILY_API_KEY: "tvly-dummy" } },
  { server: "brave", npm: "@brave/brave-search-mcp-server@2.1.4", env: { BRAVE_API_KEY: "dummy" } },
  { server: "git", npm: "@cyanheads/git-mcp-server@2.15.3" },
  { server: "asana", npm: "@roychri/mcp-server-asana@1.8.0", env: { ASANA_ACCESS_TOKEN: "dummy" } },
  { server: "datadog", npm: "@winor30/mcp-server-datadog@1.8.0", env: { DATADOG_API_KEY: "dummy", DATADOG_APP_KEY: "dummy" } },
  { server: "commander", npm: "@wonderwhy-er/desktop-commander@0.2.52" },
  { server: "circleci", npm: "@circleci/mcp-server-circleci@0.20.0", env: { CIRCLECI_TOKEN: "dummy" } },
];

// start installs the package and returns its program and its version.
function start({ server, npm }) {
  const dir = join(work, server);
  const name = npm.slice(0, npm.lastIndexOf("@"));
  const home = join(dir, "node_modules", name);
  if (!existsSync(home)) {
    mkdirSync(dir, { recursive: true });
    execFileSync("npm", ["install", "--prefix", dir, "--ignore-scripts", "--no-audit", "--no-fund", "--silent", npm], { stdio: ["ignore", "ignore", "inherit"] });
  }
  const manifest = JSON.parse(readFileSync(join(home, "package.json"), "utf8"));
  const bins = typeof manifest.bin === "string" ? [manifest.bin] : Object.values(manifest.bin);
  return { program: join(home, bins[0]), version: manifest.version, name };
}

async function record(s) {
  const { program, version, name } = start(s);
  const home = join(work, s.server, "home");
  mkdirSync(home, { recursive: true });
  const child = spawn(process.execPath, [program, ...(s.args ?? [])], {
    cwd: home,
    env: { PATH: process.env.PATH, HOME: home, ...s.env },
    stdio: ["pipe", "pipe", process.env.VERBOSE ? "inherit" : "ignore"],
  });
  const waiting = new Map();
  child.on("error", () => {});
  child.stdin.on("error", () => {});
  createInterface({ input: child.stdout }).on("line", (line) => {
    let msg;
    try { msg = JSON.parse(line); } catch { return; }
    if (msg.method && msg.id !== undefined) send({ id: msg.id, result: msg.method === "roots/list" ? { roots: [] } : {} });
    else waiting.get(msg.id)?.(msg);
  });
  const send = (msg) => child.stdin.write(JSON.stringify({ jsonrpc: "2.0", ...msg }) + "\n");
  let id = 0;
  const ask = (method, params) =>
    new Promise((done, fail) => {
      const timer = setTimeout(() => fail(new Error(`${method}: no answer`)), 40_000);
      child.on("exit", (code) => fail(new Error(`${method}: ended with ${code}`)));
      waiting.set(++id, (msg) => {
        clearTimeout(timer);
        msg.error ? fail(new Error(`${method}: ${JSON.stringify(msg.error)}`)) : done(msg.result);
      });
      send({ id, method, params });
    });
  try {
    await ask("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "record", version: "1" } });
    send({ method: "notifications/initialized" });
    await new Promise((r) => setTimeout(r, 1000)); // some register tools only now
    const tools = [];
    let cursor;
    do {
      const page = await ask("tools/list", cursor ? { cursor } : {});
      tools.push(...page.tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema })));
      cursor = page.nextCursor;
    } while (cursor);
    return { server: s.server, npm: name, version, tools };
  } finally {
    child.kill("SIGKILL");
  }
}

const recorded = [];
for (const s of servers) {
  if (only && s.server !== only) continue;
  try {
    const r = await record(s);
    console.error(`${s.server}: ${r.tools.length} tools, ${JSON.stringify(r).length} bytes`);
    recorded.push(r);
  } catch (err) {
    console.error(`${s.server}: left out: ${String(err.message).slice(0, 300)}`);
  }
}
// One tool a line, so that a new recording shows in a diff.
const line = (r) => `{"server":${JSON.stringify(r.server)},"npm":${JSON.stringify(r.npm)},"version":${JSON.stringify(r.version)},"tools":[\n${r.tools.map((t) => JSON.stringify(t)).join(",\n")}\n]}`;
const text = `[\n${recorded.map(line).join(",\n")}\n]\n`.replaceAll(work, "/project");
process.stdout.write(text, () => process.exit(0));
