// What statuses and levels look like: a shape of their own and a word, so that
// colour is never the only sign.
import { h } from './dom.js';

const MARKS = new Map([
  ['pending', ['○', 'pending']],
  ['in_progress', ['◐', 'in progress']],
  ['done', ['✓', 'done']],
  ['skipped', ['–', 'skipped']],
  ['blocked', ['!', 'blocked']],
  ['failed', ['✗', 'failed']],
  ['idle', ['○', 'idle']],
  ['active', ['◐', 'active']],
  ['info', ['i', 'info']],
  ['success', ['✓', 'success']],
  ['warning', ['!', 'warning']],
  ['error', ['✗', 'error']],
  ['added', ['A', 'added']],
  ['modified', ['M', 'modified']],
  ['deleted', ['D', 'deleted']],
  ['referenced', ['R', 'referenced']],
]);

// mark is the shape alone, named for those who do not see it.
export function mark(status) {
  const { glyph, word, look } = markOf(status);
  return h('span', { class: `mark ${look}`, role: 'img', 'aria-label': word, title: word }, glyph);
}

// badge is the shape with its word beside it.
export function badge(status) {
  const { glyph, word, look } = markOf(status);
  return h('span', { class: `badge ${look}` }, h('span', { 'aria-hidden': 'true' }, glyph), ` ${word}`);
}

function markOf(status) {
  const [glyph, word] = MARKS.get(status) ?? ['?', String(status)];
  return { glyph, word, look: `mark-${MARKS.has(status) ? status : 'unknown'}` };
}
