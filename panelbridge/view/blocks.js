// One renderer for each kind of block.
import { h } from './dom.js';
import { formOutline, questionForm } from './form.js';
import { idOf } from './ids.js';
import { checklist, files, steps, timeline } from './lists.js';
import { markdown } from './markdown.js';
import { scopeButtons } from './menu.js';
import { panelKey } from './session.js';
import { keyValue, table } from './table.js';

const RENDERERS = new Map([
  ['checklist', checklist],
  ['steps', steps],
  ['progress', progress],
  ['key_value', keyValue],
  ['table', table],
  ['markdown', (block) => h('div', { class: 'prose' }, markdown(block.text ?? ''))],
  ['timeline', timeline],
  ['files', files],
  ['form', form],
  ['mermaid', mermaid],
]);

// blockNode shows a block of the scene's panel.
export function blockNode(block, scene) {
  const id = idOf(`block ${panelKey(scene.panel)} ${block.id}`);
  const render = RENDERERS.get(block.kind) ?? unsupported;
  return h(
    'section',
    { key: block.id, class: 'block', 'data-anchor': true, 'aria-labelledby': block.title ? id : null },
    block.title && h('h3', { id }, block.title),
    render(block, scene),
    scopeButtons(scene, 'block', { block }),
  );
}

function progress(block) {
  const name = block.label || block.title || 'progress';
  if (block.indeterminate) return h('div', { class: 'meter' }, h('span', null, `${name}, under way`), h('progress', { 'aria-label': name }));
  const percent = Math.floor((100 * block.value) / block.max);
  return h('div', { class: 'meter' }, h('span', null, `${name} ${percent}%`), h('progress', { value: block.value, max: block.max, 'aria-label': name }));
}

// form is the open question that the block belongs to, or an outline of it.
function form(block, scene) {
  const question = scene.questions.find((candidate) => (candidate.form.block ?? block.id) === block.id);
  return question ? questionForm(question, scene) : formOutline(block);
}

function mermaid(block, scene) {
  const source = h('pre', { tabindex: '0', role: 'region', 'aria-label': `${block.title || 'diagram'}, source` }, h('code', null, block.source));
  const diagram = scene.diagrams.of(`${panelKey(scene.panel)} ${block.id}`, block.source);
  const fallback = block.fallback && h('p', { class: 'plain-text' }, block.fallback);
  if (!diagram) return h('div', { key: 'source' }, fallback, source);
  return h(
    'figure',
    { key: 'diagram' },
    h('div', { class: 'scroll', role: 'img', 'aria-label': block.fallback || block.title || 'diagram', content: diagram }),
    h('details', null, h('summary', null, 'Source'), source),
  );
}

function unsupported(block) {
  return h('p', { class: 'plain-text' }, block.fallback || `Unsupported block "${block.kind}"`);
}
