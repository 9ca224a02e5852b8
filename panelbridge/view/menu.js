// Buttons and menus for actions.
import { applicable } from './actions.js';
import { h } from './dom.js';
import { idOf } from './ids.js';
import { panelKey } from './session.js';

// scopeButtons are the actions of a whole panel or block.
export function scopeButtons(scene, scope, target) {
  const actions = offered(scene, scope, target);
  return actions.length > 0 && h('div', { class: 'buttons' }, actions.map((action) => button(scene, action, target)));
}

// itemActions are a button for the primary action of an item, and a menu of the
// others. The title is what a person calls the item.
export function itemActions(scene, block, item, title = item.label) {
  const target = { block, item, title };
  const actions = offered(scene, 'item', target);
  if (actions.length === 0) return null;
  const primary = actions.length === 1 ? actions[0] : actions.find((action) => action.primary);
  const others = actions.filter((action) => action !== primary);
  return h('span', { class: 'item-actions' }, primary && button(scene, primary, target), others.length > 0 && menu(scene, others, target));
}

function offered({ panel, actions }, scope, target) {
  return applicable(panel, scope, target).filter((action) => action.kind === 'prompt' || actions.available);
}

function button(scene, action, target) {
  return h(
    'button',
    {
      key: action.id,
      id: idOf(`action ${name(scene, target)} ${action.id}`),
      type: 'button',
      class: action.primary ? 'primary small' : 'small',
      'aria-label': target.item ? `${action.label}: ${target.title}` : null,
      onclick: () => scene.actions.run(scene.panel, action, target),
    },
    action.label,
  );
}

function menu(scene, actions, target) {
  const id = idOf(`menu ${name(scene, target)}`);
  const isOpen = scene.actions.openMenu === id;
  return h(
    'span',
    {
      class: 'menu',
      onkeydown: (event) => onKey(event, scene, id),
      onfocusout: (event) => {
        if (isOpen && !event.currentTarget.contains(event.relatedTarget)) close(scene, id);
      },
    },
    h(
      'button',
      {
        id,
        type: 'button',
        class: 'small',
        'aria-haspopup': 'menu',
        'aria-expanded': String(isOpen),
        'aria-label': `More actions: ${target.title}`,
        onclick: () => (isOpen ? close(scene, id) : open(scene, id)),
      },
      '⋯',
    ),
    isOpen && h('span', { id: `${id}-items`, role: 'menu', 'aria-labelledby': id }, actions.map((action) => entry(scene, id, action, target))),
  );
}

function entry(scene, id, action, target) {
  const run = () => {
    document.getElementById(id).focus();
    close(scene, id);
    scene.actions.run(scene.panel, action, target);
  };
  return h('button', { key: action.id, type: 'button', role: 'menuitem', tabindex: '-1', onclick: run }, action.label);
}

function open(scene, id) {
  scene.actions.toggleMenu(id);
  document.getElementById(`${id}-items`).firstChild.focus();
}

function close(scene, id) {
  if (scene.actions.openMenu === id) scene.actions.toggleMenu(id);
}

function onKey(event, scene, id) {
  const items = [...(document.getElementById(`${id}-items`)?.childNodes ?? [])];
  if (items.length === 0) {
    if (event.key !== 'ArrowDown') return;
    event.preventDefault();
    open(scene, id);
    return;
  }
  const leave = () => {
    document.getElementById(id).focus();
    close(scene, id);
  };
  const at = items.indexOf(document.activeElement);
  const moves = {
    ArrowDown: () => items[(at + 1) % items.length].focus(),
    ArrowUp: () => items.at(at <= 0 ? -1 : at - 1).focus(),
    Home: () => items[0].focus(),
    End: () => items.at(-1).focus(),
    Escape: leave,
    Tab: leave,
  };
  moves[event.key]?.();
  if (event.key in moves && event.key !== 'Tab') event.preventDefault();
}

function name({ panel }, { block, item }) {
  return JSON.stringify([panelKey(panel), block?.id, item?.id]);
}
