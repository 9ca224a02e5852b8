// One panel: its header, actions and blocks.
import { blockNode } from './blocks.js';
import { h } from './dom.js';
import { draftBox } from './draft.js';
import { icon } from './icons.js';
import { idOf } from './ids.js';
import { scopeButtons } from './menu.js';
import { panelKey } from './session.js';
import { badge } from './status.js';

// panelNode shows a panel in full. Its scene says what it takes part in: panel,
// its questions, actions, answers, diagrams and the clock.
export function panelNode(scene) {
  const { panel } = scene;
  const id = idOf(`panel ${panelKey(panel)}`);
  return h('article', { key: panelKey(panel), class: 'panel', 'aria-labelledby': id, 'data-anchor': true }, heading(panel, id), body(scene));
}

// foldedPanel shows a line of a panel, which opens to all of it.
export function foldedPanel(scene) {
  const { panel } = scene;
  return h(
    'details',
    { key: panelKey(panel), class: 'panel', open: panel.declaration.open === 'first_update', 'data-anchor': true },
    h('summary', null, icon(panel.declaration.icon), h('span', { class: 'title' }, titleOf(panel)), h('span', { class: 'hint' }, panel.summary)),
    subtitle(panel),
    body(scene),
  );
}

function titleOf({ document, declaration, panel }) {
  return document.title || declaration.title || panel;
}

function heading(panel, id) {
  return h('header', null, h('h2', { id }, icon(panel.declaration.icon), h('span', { class: 'title' }, titleOf(panel))), subtitle(panel));
}

function subtitle({ document, progress, closed }) {
  return h(
    'div',
    { class: 'subtitle' },
    badge(document.status ?? 'active'),
    closed && h('span', { class: 'chip' }, 'closed'),
    progress?.total > 0 && [h('progress', { max: progress.total, value: progress.done, 'aria-label': 'done' }), h('span', null, `${progress.done} of ${progress.total}`)],
    document.subtitle && h('span', null, document.subtitle),
  );
}

function body(scene) {
  const { panel, actions } = scene;
  const notice = actions.notices.get(panelKey(panel));
  return h(
    'div',
    { class: 'body' },
    scopeButtons(scene, 'panel', {}),
    h('p', { class: notice?.isError ? 'notice fault' : 'notice', role: notice?.isError ? 'alert' : 'status' }, notice?.text),
    draftBox(scene),
    panel.document.blocks.map((block) => blockNode(block, scene)),
  );
}
