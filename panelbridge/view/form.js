// Questions as forms. The sandbox of a host may forbid submitting, so buttons
// and the Enter key answer, not the browser's own form.
import { responses } from './actions.js';
import { h } from './dom.js';
import { idOf } from './ids.js';
import { isSettled } from './session.js';
import { byteLength } from './text.js';

const ROWS = 4;

// questionForm shows a question, or how it ended. The panel is the one that
// asks, if it is known.
export function questionForm(question, { answers, clock, panel }) {
  const id = idOf(`question ${question.id}`);
  const fields = question.form.fields ?? [];
  const settled = isSettled(question);
  return h(
    'section',
    { key: `question ${question.id}`, class: 'question', role: 'form', 'aria-labelledby': `${id}-title`, 'data-anchor': true },
    h('h3', { id: `${id}-title`, tabindex: '-1' }, question.title || 'Question'),
    settled ? outcome(question, fields) : [summary(question, id, fields), fields.map((field) => fieldNode(question, field, id, answers)), buttons(question, answers, panel)],
    !settled && question.deadline && h('p', { class: 'hint' }, `Open until ${clock.time(question.deadline)}`),
  );
}

// formOutline shows what a form block asks for where no question is open.
export function formOutline(block) {
  return h(
    'dl',
    null,
    block.fields.map((field) => [
      h('dt', { key: `${field.id}-label` }, field.label),
      h('dd', { key: field.id }, `[${field.kind}] ${(field.options ?? []).map((option) => option.label).join(', ')}`),
    ]),
  );
}

function outcome(question, fields) {
  const words = { answered: 'Answered', cancelled: 'Cancelled', expired: 'Expired', interrupted: 'Interrupted', ended: 'No longer open' };
  const label = (field, id) => field.options?.find((option) => option.id === id)?.label ?? id;
  return [
    h('p', { class: 'outcome' }, words[question.state]),
    question.answers &&
      h(
        'dl',
        null,
        fields
          .filter((field) => Object.hasOwn(question.answers, field.id))
          .map((field) => [h('dt', null, field.label), h('dd', null, [question.answers[field.id]].flat().map((value) => label(field, value)).join(', '))]),
      ),
  ];
}

// summary lists what stands in the way of an answer; each entry leads to its field.
function summary(question, id, fields) {
  if (question.faults.length === 0) return null;
  const entries = question.faults.map((fault) => {
    const field = fields.find((candidate) => candidate.id === fault.field);
    if (!field) return h('li', null, fault.message);
    const focus = () => document.getElementById(`${id}-${field.id}`)?.focus();
    return h('li', null, h('button', { type: 'button', class: 'plain', onclick: focus }, `${field.label}: ${fault.message}`));
  });
  return h('div', { key: 'summary', id: `${id}-summary`, class: 'faults', role: 'alert', tabindex: '-1' }, h('p', null, 'The answer was not accepted:'), h('ul', null, entries));
}

function fieldNode(question, field, id, answers) {
  const own = `${id}-${field.id}`;
  const fault = question.faults.find((candidate) => candidate.field === field.id);
  const over = field.kind === 'text' && byteLength(question.draft[field.id] ?? '') > limit(field);
  const hints = [
    field.description && h('p', { key: 'description', class: 'hint', id: `${own}-description` }, field.description),
    h('p', { key: 'limit', class: over ? 'fault' : 'hint', id: `${own}-limit` }, limitText(field, question.draft[field.id])),
    fault && h('p', { key: 'fault', class: 'fault', id: `${own}-fault` }, fault.message),
  ].filter(Boolean);
  const described = {
    'aria-describedby': hints.map((hint) => hint.props.id).join(' '),
    'aria-invalid': fault || over ? 'true' : null,
  };
  const scene = { question, field, own, answers, described, hints };
  return field.kind === 'text' ? textField(scene) : choiceField(scene);
}

function textField({ question, field, own, answers, described, hints }) {
  const props = {
    id: own,
    ...described,
    'aria-required': field.required ? 'true' : null,
    initial: { value: question.draft[field.id] ?? '' },
    oninput: (event) => answers.set(question, field, event.target.value),
    onkeydown: (event) => {
      const sends = event.key === 'Enter' && !event.isComposing && (!field.multiline || event.ctrlKey || event.metaKey);
      if (sends) answers.submit(question);
    },
  };
  const input = field.multiline ? h('textarea', { ...props, rows: ROWS }) : h('input', { ...props, type: 'text', autocomplete: 'off' });
  return h('div', { key: field.id, class: 'field' }, h('label', { for: own }, labelText(field)), input, hints);
}

// choiceField has a group named by its legend. The group takes the focus when
// the summary leads to it.
function choiceField({ question, field, own, answers, described, hints }) {
  const single = field.kind === 'single_select';
  const chosen = question.draft[field.id];
  const options = single && !field.required ? [...field.options, { id: undefined, label: 'No answer' }] : field.options;
  const group = single ? { role: 'radiogroup', 'aria-required': field.required ? 'true' : null, ...described } : { 'aria-describedby': described['aria-describedby'] };
  return h(
    'fieldset',
    { key: field.id, class: 'field', id: own, tabindex: '-1', ...group },
    h('legend', null, labelText(field)),
    options.map((option, at) =>
      h(
        'label',
        { key: option.id ?? '', class: 'option' },
        h('input', {
          type: single ? 'radio' : 'checkbox',
          id: `${own}-${at}`,
          name: own,
          initial: { checked: single ? chosen === option.id : Boolean(chosen?.includes(option.id)) },
          'aria-invalid': single ? null : described['aria-invalid'],
          onchange: (event) => answers.choose(question, field, option.id, event.target.checked),
        }),
        ` ${option.label}`,
      ),
    ),
    hints,
  );
}

function labelText(field) {
  return field.required ? `${field.label} (required)` : field.label;
}

const LARGEST_TEXT = 8_192; // bytes

export function limit(field) {
  return field.max_bytes || LARGEST_TEXT;
}

function limitText(field, value) {
  if (field.kind === 'text') return `${byteLength(value ?? '')} of ${limit(field)} bytes`;
  if (field.kind === 'single_select') return 'Choose one.';
  const { min_selected: least, max_selected: most } = field;
  if (least && most) return `Choose ${least} to ${most}.`;
  if (least) return `Choose at least ${least}.`;
  return most ? `Choose at most ${most}.` : 'Choose any.';
}

function buttons(question, answers, panel) {
  const { submit, cancel } = responses(panel, question.form.block);
  const busy = question.busy ? 'true' : null;
  return h(
    'div',
    { key: 'buttons', class: 'buttons' },
    h('button', { type: 'button', class: 'primary', 'aria-disabled': busy, onclick: () => answers.submit(question) }, submit?.label ?? 'Submit'),
    h('button', { type: 'button', 'aria-disabled': busy, onclick: () => answers.cancel(question) }, cancel?.label ?? 'Cancel'),
  );
}
