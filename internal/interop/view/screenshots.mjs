// The pictures of docs/, in both themes. They are written on request only.
import { fileURLToPath } from 'node:url';
import { panel, question, survey, todo } from './fixtures.mjs';

const NOON = Date.UTC(2026, 2, 1, 12);

const release = panel(
  'release',
  {
    title: 'Release 2.0',
    subtitle: 'six targets',
    status: 'active',
    blocks: [
      {
        id: 'steps',
        kind: 'steps',
        items: [
          { id: 'a', label: 'Build', status: 'done', started_at: NOON, ended_at: NOON + 600_000 },
          { id: 'b', label: 'Test', status: 'in_progress', detail: 'macOS' },
          { id: 'c', label: 'Publish', status: 'pending' },
        ],
      },
      { id: 'bar', kind: 'progress', label: 'Upload', value: 42, max: 100 },
      {
        id: 'table',
        kind: 'table',
        title: 'Targets',
        columns: [{ id: 'os', label: 'System' }, { id: 'size', label: 'Size', align: 'end' }],
        rows: [
          { id: 'l', status: 'done', cells: { os: 'Linux', size: '9 MB' } },
          { id: 'm', status: 'blocked', cells: { os: 'macOS', size: '–' }, ref: { path: 'build.log', line: 88 } },
        ],
      },
      { id: 'files', kind: 'files', title: 'Files', entries: [{ path: 'main.go', status: 'modified', line: 7, label: 'the fix' }, { path: 'old.go', status: 'deleted' }] },
      {
        id: 'log',
        kind: 'timeline',
        title: 'Events',
        events: [
          { id: '1', level: 'success', label: 'Linux is built' },
          { id: '2', level: 'warning', label: 'The mirror is slow', detail: 'third try' },
        ],
      },
    ],
  },
  { progress: { done: 1, total: 3 }, declaration: { icon: 'flag' } },
);

const branch = question({
  deadline: undefined,
  form: {
    block: 'form',
    fields: [
      { id: 'name', kind: 'text', label: 'Name of the branch', description: 'Short, please.', required: true, max_bytes: 60 },
      { id: 'mode', kind: 'single_select', label: 'Mode', required: true, options: [{ id: 'fast', label: 'Fast' }, { id: 'safe', label: 'Safe' }] },
    ],
  },
});

export const options = {
  viewport: { width: 640, height: 1_150 },
  before: ({ server }) => {
    for (const shown of [survey, todo, release]) server.show(shown);
    server.questions = [branch];
  },
};

export default async function (host) {
  await host.view.getByRole('button', { name: 'Send answer' }).waitFor();
  for (const theme of ['light', 'dark']) {
    await host.bridge.setHostContext({ theme, locale: 'en-GB', timeZone: 'UTC' });
    await host.frame.waitForFunction((want) => document.documentElement.style.colorScheme === want, theme);
    const path = fileURLToPath(new URL(`../../../docs/panels-${theme}.png`, import.meta.url));
    await host.page.screenshot({ path });
  }
}
