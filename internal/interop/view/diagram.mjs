// Diagrams, drawn by the library that the server ships: each its own, and nothing
// that the page's policy refuses.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { panel } from './fixtures.mjs';

const LIBRARY = readFileSync(process.env.RAW_MERMAID, 'utf8');
const block = (id, source) => ({ id, kind: 'mermaid', title: id, source, fallback: `fallback of ${id}` });

export const options = {
  capabilities: { serverTools: {}, serverResources: {} },
  before: (host) => {
    host.bridge.onreadresource = async ({ uri }) => ({ contents: [{ uri, mimeType: 'text/javascript', text: LIBRARY }] });
    host.server.show(panel('graphs', { title: 'Graphs', blocks: [
      block('flow', 'graph TD\n  A[Start] --> B{Ready?}\n  B -->|yes| C[Go]'),
      block('sequence', 'sequenceDiagram\n  Ann->>Bob: Hello\n  Bob-->>Ann: Hi'),
    ] }));
  },
};

export default async function (host) {
  const { view } = host;
  await host.result();
  for (const [name, text] of [['flow', /Ready\?/], ['sequence', /Hello/]]) {
    const drawing = view.getByRole('img', { name: `fallback of ${name}` });
    await drawing.waitFor({ timeout: 20_000 });
    const svg = await drawing.innerHTML();
    assert.match(svg, text);
  }
  assert.equal(await view.locator('main svg[id^="diagram"]').count(), 2);
}
