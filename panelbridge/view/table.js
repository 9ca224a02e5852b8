// Blocks of cells: table and key_value.
import { h } from './dom.js';
import { itemActions } from './menu.js';
import { badge } from './status.js';
import { place } from './text.js';

export function table(block, scene) {
  const { columns } = block;
  const rows = (block.rows ?? []).map((row) => ({ row, actions: itemActions(scene, block, row, cellOf(row, columns[0]) || row.id) }));
  const extra = [
    { title: 'Status', wanted: ({ row }) => row.status, cell: ({ row }) => row.status && badge(row.status) },
    { title: 'Place', wanted: ({ row }) => row.ref, cell: ({ row }) => row.ref && h('code', { class: 'ref' }, place(row.ref.path, row.ref.line)) },
    { title: 'Actions', wanted: ({ actions }) => actions, cell: ({ actions }) => actions },
  ].filter(({ wanted }) => rows.some(wanted));
  const head = [...columns.map((column) => h('th', { scope: 'col', class: alignment(column) }, column.label || column.id)), ...extra.map(({ title }) => h('th', { scope: 'col' }, title))];
  const body = rows.map((entry) =>
    h(
      'tr',
      { key: entry.row.id, 'data-anchor': true },
      columns.map((column) => h('td', { class: alignment(column) }, cellOf(entry.row, column))),
      extra.map(({ cell }) => h('td', null, cell(entry))),
    ),
  );
  return h(
    'div',
    { class: 'scroll', role: 'region', tabindex: '0', 'aria-label': block.title || 'table' },
    h('table', null, h('thead', null, h('tr', null, head)), h('tbody', null, body)),
  );
}

function alignment({ align }) {
  return align === 'center' || align === 'end' ? align : null;
}

// A column may be called what every object has.
function cellOf({ cells = {} }, { id }) {
  return Object.hasOwn(cells, id) ? cells[id] : '';
}

export function keyValue(block) {
  return h(
    'dl',
    { class: 'pairs' },
    (block.entries ?? []).map((entry) =>
      h(
        'div',
        { key: entry.key, 'data-anchor': true },
        h('dt', null, entry.key),
        h('dd', null, entry.value, entry.ref && h('code', { class: 'ref' }, place(entry.ref.path, entry.ref.line))),
      ),
    ),
  );
}
