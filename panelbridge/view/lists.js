// Blocks that are lists: checklist, steps, timeline, files.
import { h } from './dom.js';
import { itemActions } from './menu.js';
import { mark } from './status.js';
import { duration, place } from './text.js';

export function checklist(block, scene) {
  return items(block.items ?? [], block, scene);
}

function items(list, block, scene) {
  return h(
    'ul',
    { class: 'items', role: 'list' },
    list.map((item) =>
      h(
        'li',
        { key: item.id, 'data-anchor': true },
        h(
          'div',
          { class: 'row' },
          mark(item.status ?? 'pending'),
          h(
            'span',
            { class: 'text' },
            h('span', { class: item.status === 'skipped' ? 'label struck' : 'label' }, item.label),
            item.priority && h('span', { class: 'chip' }, `${item.priority} priority`),
            item.note && h('span', { class: 'note' }, item.note),
            item.ref && h('code', { class: 'ref' }, place(item.ref.path, item.ref.line)),
          ),
          itemActions(scene, block, item),
        ),
        item.children?.length > 0 && items(item.children, block, scene),
      ),
    ),
  );
}

export function steps(block, scene) {
  return h(
    'ol',
    { class: 'items steps' },
    (block.items ?? []).map((item) =>
      h(
        'li',
        { key: item.id, 'data-anchor': true, 'aria-current': item.status === 'in_progress' ? 'step' : null },
        h(
          'div',
          { class: 'row' },
          mark(item.status ?? 'pending'),
          h('span', { class: 'text' }, h('span', { class: 'label' }, item.label), item.detail && h('span', { class: 'note' }, item.detail), stepTime(item, scene.clock)),
          itemActions(scene, block, item),
        ),
      ),
    ),
  );
}

function stepTime({ started_at: started, ended_at: ended }, clock) {
  if (started === undefined) return null;
  return h('span', { class: 'note' }, ended === undefined ? `since ${clock.time(started)}` : duration(started, ended));
}

// timeline has its newest event first.
export function timeline(block, scene) {
  return h(
    'ul',
    { class: 'items', role: 'list' },
    (block.events ?? []).toReversed().map((event) =>
      h(
        'li',
        { key: event.id, 'data-anchor': true },
        h(
          'div',
          { class: 'row' },
          mark(event.level ?? 'info'),
          h(
            'span',
            { class: 'text' },
            event.at !== undefined && h('span', { class: 'time' }, scene.clock.time(event.at)),
            h('span', { class: 'label' }, event.label),
            event.detail && h('span', { class: 'note block' }, event.detail),
          ),
          itemActions(scene, block, event),
        ),
      ),
    ),
  );
}

export function files(block) {
  return h(
    'ul',
    { class: 'items', role: 'list' },
    (block.entries ?? []).map((entry) =>
      h(
        'li',
        { key: entry.path, 'data-anchor': true },
        h(
          'div',
          { class: 'row' },
          entry.status && mark(entry.status),
          h('span', { class: 'text' }, h('code', { class: 'ref' }, place(entry.path, entry.line)), entry.label && h('span', { class: 'note' }, entry.label)),
        ),
      ),
    ),
  );
}
