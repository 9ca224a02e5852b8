// Panels and questions in every kind and state.

const MINUTE = 60_000;
const NOON = Date.UTC(2026, 2, 1, 12);

export function panel(id, document, more = {}) {
  const owner = `local/${id}`;
  const { declaration, ...rest } = more;
  return {
    panel: `${owner}#${id}`,
    owner,
    revision: 1,
    closed: false,
    declaration: { id, title: id, icon: 'panel', placement: 'sidebar', open: 'never', context: 'none', acp_plan: false, actions: [], ...declaration },
    document,
    summary: document.summary ?? '',
    ...rest,
  };
}

export const todo = panel(
  'todo',
  {
    title: 'Todo',
    status: 'active',
    blocks: [
      {
        id: 'items',
        kind: 'checklist',
        items: [
          { id: 'a', label: 'Read the brief', status: 'done' },
          { id: 'b', label: 'Write it', status: 'in_progress' },
          { id: 'c', label: 'Check it', status: 'pending' },
        ],
      },
    ],
  },
  {
    summary: '1/3 · Write it',
    progress: { done: 1, total: 3 },
    declaration: {
      icon: 'list-checks',
      actions: [
        { id: 'complete', label: 'Complete', scope: 'item', kind: 'tool', primary: true, when: { status: ['pending', 'in_progress'] }, arguments: { item: '{{item.id}}', set: 'done' } },
        { id: 'skip', label: 'Skip', scope: 'item', kind: 'tool', confirm: 'Skip "{{item.label}}"?', when: { status: ['pending', 'in_progress'] }, arguments: {} },
        { id: 'ask', label: 'Ask about it', scope: 'item', kind: 'prompt', text: 'What about "{{item.label}}"?', send: true },
        { id: 'clear', label: 'Clear done', scope: 'panel', kind: 'tool', arguments: { clear: 'done' } },
        { id: 'continue', label: 'Continue', scope: 'panel', kind: 'prompt', text: 'Go on with {{panel.id}}.' },
        { id: 'nothing', label: 'Never there', scope: 'panel', kind: 'prompt', text: 'About {{item.label}}.' },
      ],
    },
  },
);

export const everything = panel(
  'release',
  {
    title: 'Release',
    subtitle: 'Version 2',
    status: 'failed',
    blocks: [
      {
        id: 'list',
        kind: 'checklist',
        title: 'Tasks',
        items: [
          { id: '1', label: 'Pending task', status: 'pending', priority: 'high', note: 'first of all' },
          { id: '2', label: 'Running task', status: 'in_progress', ref: { path: 'src/main.go', line: 12 } },
          {
            id: '3',
            label: 'Parent task',
            status: 'blocked',
            children: [
              { id: '3.1', label: 'Done child', status: 'done' },
              { id: '3.2', label: 'Skipped child', status: 'skipped', children: [{ id: '3.2.1', label: 'Failed grandchild', status: 'failed' }] },
            ],
          },
        ],
      },
      {
        id: 'steps',
        kind: 'steps',
        title: 'Steps',
        items: [
          { id: 'build', label: 'Build', status: 'done', detail: 'six targets', started_at: NOON, ended_at: NOON + 10 * MINUTE },
          { id: 'test', label: 'Test', status: 'in_progress', started_at: NOON + 10 * MINUTE },
          { id: 'ship', label: 'Ship', status: 'pending' },
        ],
      },
      { id: 'bar', kind: 'progress', label: 'Upload', value: 42, max: 100 },
      { id: 'spin', kind: 'progress', label: 'Waiting for the mirror', indeterminate: true },
      { id: 'facts', kind: 'key_value', title: 'Facts', entries: [{ key: 'Branch', value: 'main' }, { key: 'Changelog', value: 'written', ref: { path: 'CHANGES', line: 3 } }] },
      {
        id: 'table',
        kind: 'table',
        title: 'Targets',
        columns: [{ id: 'os', label: 'System' }, { id: 'size', label: 'Size', align: 'end' }],
        rows: [
          { id: 'linux', status: 'done', cells: { os: 'Linux', size: '9 MB' } },
          { id: 'mac', status: 'blocked', cells: { os: 'macOS' }, ref: { path: 'build.log', line: 88 } },
        ],
      },
      {
        id: 'text',
        kind: 'markdown',
        title: 'Notes',
        text: '# Heading\n\nA *soft* and **strong** word, `code`, snake_case_name and a [label](https://example.org/x).\n\n- one\n  - inner\n- two\n\n1. first\n2. second\n\n```\nplain  text\n```\n',
      },
      {
        id: 'log',
        kind: 'timeline',
        title: 'Events',
        events: [
          { id: 'e1', at: NOON, level: 'info', label: 'Started' },
          { id: 'e2', at: NOON + MINUTE, level: 'success', label: 'Built', detail: 'in 50 s' },
          { id: 'e3', at: NOON + 2 * MINUTE, level: 'warning', label: 'Slow mirror' },
          { id: 'e4', at: NOON + 3 * MINUTE, level: 'error', label: 'Upload broke' },
        ],
      },
      {
        id: 'files',
        kind: 'files',
        title: 'Files',
        entries: [
          { path: 'new.go', status: 'added' },
          { path: 'main.go', status: 'modified', line: 7, label: 'the fix' },
          { path: 'old.go', status: 'deleted' },
          { path: 'doc.md', status: 'referenced' },
        ],
      },
      {
        id: 'form',
        kind: 'form',
        title: 'Settings',
        fields: [
          { id: 'name', kind: 'text', label: 'Name' },
          { id: 'mode', kind: 'single_select', label: 'Mode', options: [{ id: 'a', label: 'Fast' }, { id: 'b', label: 'Safe' }] },
        ],
      },
      { id: 'graph', kind: 'mermaid', title: 'Graph', source: 'graph TD\n  A --> B', fallback: 'A leads to B' },
      { id: 'odd', kind: 'hologram', fallback: 'A hologram of the release' },
      { id: 'odder', kind: 'smell' },
    ],
  },
  { summary: '2/5 · Running task', progress: { done: 2, total: 5 }, declaration: { icon: 'flag' } },
);

export const survey = panel(
  'ask_user',
  {
    title: 'Survey',
    blocks: [{ id: 'form', kind: 'form', fields: [] }],
  },
  {
    view: { instanceId: 'i-7', toolCallId: 'call-7', owner: 'local/ask_user', panel: 'ask_user' },
    declaration: {
      placement: 'chat',
      actions: [
        { id: 'send', label: 'Send answer', scope: 'block', kind: 'response', response: 'submit', blocks: ['form'] },
        { id: 'drop', label: 'No answer', scope: 'block', kind: 'response', response: 'cancel', blocks: ['form'] },
      ],
    },
  },
);

export function question(more = {}) {
  return {
    id: 'q-1',
    revision: 1,
    state: 'pending',
    panel: survey.panel,
    view: 'i-7',
    title: 'How shall we go on?',
    asked: Date.now(),
    deadline: Date.now() + 30 * MINUTE,
    form: {
      block: 'form',
      fields: [
        { id: 'name', kind: 'text', label: 'Name of the branch', description: 'Short, please.', required: true, max_bytes: 20 },
        { id: 'why', kind: 'text', label: 'Reason', multiline: true, required: false, max_bytes: 8192 },
        { id: 'mode', kind: 'single_select', label: 'Mode', required: true, options: [{ id: 'fast', label: 'Fast' }, { id: 'safe', label: 'Safe' }] },
        {
          id: 'targets',
          kind: 'multi_select',
          label: 'Targets',
          required: true,
          min_selected: 1,
          max_selected: 2,
          options: [{ id: 'linux', label: 'Linux' }, { id: 'mac', label: 'macOS' }, { id: 'win', label: 'Windows' }],
        },
      ],
    },
    ...more,
  };
}
