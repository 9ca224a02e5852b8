// The icons of declarations, as strokes on a 24 by 24 grid.
import { h } from './dom.js';

const STROKES = new Map([
  ['list-checks', 'M3 6l2 2 3-4M3 17l2 2 3-4M12 6h9M12 12h9M12 18h9'],
  ['list-ordered', 'M4 4v5M3 9h3M3 14h3l-3 4h3M11 6h10M11 12h10M11 18h10'],
  ['file-text', 'M6 2h8l5 5v15H6zM14 2v5h5M9 13h7M9 17h7'],
  ['table', 'M3 4h18v16H3zM3 10h18M3 15h18M10 4v16'],
  ['activity', 'M2 12h5l3-8 4 16 3-8h5'],
  ['gauge', 'M4 19a9 9 0 1 1 16 0M12 15l4-5'],
  ['folder-tree', 'M3 3v16h7M3 8h7M12 5h9v6h-9zM12 16h9v6h-9z'],
  ['flag', 'M5 22V3h13l-3 5 3 5H5'],
  ['panel', 'M3 4h18v16H3zM9 4v16'],
]);

export function icon(name) {
  return h(
    'svg',
    { class: 'icon', viewBox: '0 0 24 24', 'aria-hidden': 'true', focusable: 'false' },
    h('path', { d: STROKES.get(name) ?? STROKES.get('panel') }),
  );
}
