// Data that tries to be more than text, in every place that takes text.
import assert from 'node:assert/strict';
import { panel } from './fixtures.mjs';

const ATTACKS = [
  '<script>window.broken = 1; alert(1)</script>',
  '<img src="https://evil.test/x.png" onerror="window.broken = 1">',
  '" onfocus="window.broken = 1" autofocus="',
  'javascript:window.broken=1',
  '[click](javascript:window.broken=1) ![x](https://evil.test/y.png) <https://evil.test>',
  '</style></script><svg onload="window.broken = 1">',
  'invoice\u202efdp.exe \u2066x\u2069\u200b',
  '{{constructor}} ${window.broken = 1} __proto__',
];
const HUGE = 'x'.repeat(4_000);

function hostile(attack, index) {
  const items = [
    { id: 'constructor', label: attack, note: attack, status: attack, priority: attack, ref: { path: attack, line: 1 }, children: [{ id: '__proto__', label: attack, status: 'toString' }] },
    { id: 'huge', label: HUGE, status: 'pending' },
  ];
  const blocks = [
    { id: 'a', kind: 'checklist', title: attack, items },
    { id: 'b', kind: 'steps', items: items.map(({ id, label }) => ({ id, label, detail: attack, status: 'done', started_at: 1e18 })) },
    { id: 'c', kind: 'progress', label: attack, value: 1, max: 2 },
    { id: 'd', kind: 'key_value', entries: [{ key: attack, value: attack + HUGE }] },
    { id: 'e', kind: 'table', columns: [{ id: 'constructor', label: attack, align: attack }], rows: [{ id: 'x', status: 'done', cells: { constructor: attack + HUGE } }, { id: 'y', cells: {} }] },
    { id: 'f', kind: 'markdown', text: `# ${attack}\n\n${attack}\n\n- ${attack}\n\n\`\`\`\n${attack}\n\`\`\`\n${'*_`[('.repeat(3_000)}` },
    { id: 'g', kind: 'timeline', events: [{ id: 'x', level: attack, label: attack, detail: HUGE }] },
    { id: 'h', kind: 'files', entries: [{ path: attack, status: attack, label: attack }] },
    { id: 'i', kind: 'mermaid', source: attack, fallback: attack },
    { id: 'j', kind: attack, fallback: attack },
    { id: 'k', kind: 'constructor' },
  ];
  return panel(`p${index}`, { title: attack, subtitle: attack, status: attack, blocks }, { summary: attack, declaration: { icon: attack, actions: [{ id: 'x', label: attack, scope: 'item', kind: 'tool', arguments: { x: attack } }] } });
}

export const options = {
  before: ({ server }) => {
    ATTACKS.forEach((attack, index) => server.show(hostile(attack, index)));
    server.questions = ATTACKS.map((attack, index) => ({
      id: attack,
      revision: 1,
      state: 'pending',
      panel: attack,
      title: attack,
      deadline: 1e18,
      form: { fields: [{ id: `f${index}`, kind: 'single_select', label: attack, description: attack, options: [{ id: 'constructor', label: attack }] }] },
    }));
  },
};

export default async function (host) {
  const { server, view, frame } = host;
  await host.result();
  await view.getByRole('article').nth(ATTACKS.length - 1).waitFor();
  await host.until(() => server.polls.length > 1, 'a second poll');
  const found = await frame.evaluate(() => ({
    broken: window.broken,
    dangerous: document.querySelectorAll('main script, main img, main a, main iframe, main object, main [src], main [href], main [onfocus], main [onload], main [onerror], main [style]').length,
    wide: document.documentElement.scrollWidth > window.innerWidth,
    hidden: /[\u202a-\u202e\u2066-\u2069\u200b]/.test(document.body.textContent),
    url: location.href,
  }));
  assert.deepEqual(found, { broken: undefined, dangerous: 0, wide: false, hidden: false, url: 'about:srcdoc' });
  const text = await view.locator('main').textContent();
  assert.ok(!text.includes('[native code]'), 'a name of every object was taken for data');
  for (const attack of ATTACKS.slice(0, 4)) assert.ok(text.includes(attack), `${attack} is not shown as it is`);
  assert.ok(text.includes('invoice\\u202efdp.exe'), 'the override is not shown');

  // What is not from the window that holds the view is not heard.
  await frame.evaluate(() => window.postMessage({ jsonrpc: '2.0', method: 'ui/notifications/tool-cancelled', params: { reason: 'forged' } }, '*'));
  await host.until(() => server.polls.length > 2, 'another poll');
  assert.ok(!(await view.locator('main').textContent()).includes('forged'), 'a forged message was heard');
}
