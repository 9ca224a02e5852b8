// Diagrams, with a library that a server might serve: it is asked once, its
// drawings are stripped of what acts, and doubtful sources are not drawn.
import assert from 'node:assert/strict';
import { panel } from './fixtures.mjs';

const LIBRARY = `globalThis.mermaid = {
  initialize: (options) => (globalThis.initialized = options),
  render: async (id, source) => {
    if (source.includes('broken')) throw new Error('parse error');
    return { svg: '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" id="' + id + '" onload="window.broken = 1">' +
      '<style>.a { fill: red } @import "https://evil.test/a.css";</style><script>window.broken = 1</script>' +
      '<foreignObject><p xmlns="http://www.w3.org/1999/xhtml">html</p></foreignObject>' +
      '<a xlink:href="javascript:window.broken=1" href="https://evil.test"><text onclick="window.broken = 1" fill="url(https://evil.test/f)">drawn</text></a>' +
      '<use href="#own" /><rect width="9" height="9" fill="url(#own)" /></svg>' };
  },
};`;

const block = (id, source) => ({ id, kind: 'mermaid', title: id, source, fallback: `fallback of ${id}` });
const diagrams = [
  block('plain', 'graph TD\n  A --> B\n  linkStyle 0 stroke:red'),
  block('broken', 'broken'),
  block('directive', '%%{init: {"securityLevel": "loose"}}%%\ngraph TD'),
  block('front', '---\nconfig:\n  securityLevel: loose\n---\ngraph TD'),
  block('click', 'graph TD\n A-->B; click A "https://evil.test"'),
  block('link', 'classDiagram\n  link A "https://evil.test"'),
];

export const options = {
  capabilities: { serverTools: {}, serverResources: {} },
  before: (host) => {
    host.read = [];
    host.bridge.onreadresource = async ({ uri }) => {
      host.read.push(uri);
      return { contents: [{ uri, mimeType: 'text/javascript', text: LIBRARY }] };
    };
    host.server.show(panel('graphs', { title: 'Graphs', blocks: diagrams }));
  },
};

export default async function (host) {
  const { view, frame } = host;
  await host.result();
  const drawing = view.getByRole('img', { name: 'fallback of plain' });
  await drawing.waitFor();
  const svg = await drawing.innerHTML();
  assert.match(svg, /drawn/);
  assert.match(svg, /href="#own"/);
  assert.match(svg, /fill="url\(#own\)"/);
  assert.doesNotMatch(svg, /evil|javascript|script|foreignObject|onload|onclick/i);
  assert.equal(await view.locator('main svg[id^="diagram"]').count(), 1);
  for (const { title, source } of diagrams.slice(1)) {
    assert.equal(await view.getByRole('region', { name: `${title}, source` }).textContent(), source);
    await view.getByText(`fallback of ${title}`).waitFor();
  }
  // The view's own policy refuses the handlers even before they are stripped.
  assert.deepEqual(host.faults.splice(0).filter((fault) => !fault.startsWith('Executing inline event handler violates')), []);
  assert.deepEqual(host.read, ['ui://raw/mermaid.js']);
  const { broken, initialized } = await frame.evaluate(() => ({ broken: window.broken, initialized: window.initialized }));
  assert.equal(broken, undefined);
  assert.deepEqual([initialized.securityLevel, initialized.htmlLabels, initialized.startOnLoad], ['strict', false, false]);
}
