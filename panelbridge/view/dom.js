// Virtual nodes, and patching the page to show them. Nodes with the same key
// stay the same elements, so that focus, typed text and selections survive.
// Data only ever becomes text nodes and attribute values.
import { visible } from './text.js';

const SVG = 'http://www.w3.org/2000/svg';
const shown = new WeakMap(); // DOM node → the virtual node that it shows

// h describes an element. Beside attributes, props may hold key (unique among
// siblings), on… handlers, initial (DOM properties that are the person's from
// then on), and content (a DOM node that is the only child).
export function h(tag, props, ...children) {
  return { tag, props: props ?? {}, children: children.flat(Infinity).filter(isNode).map(asNode) };
}

function isNode(child) {
  return child !== null && child !== undefined && child !== false && child !== '';
}

function asNode(child) {
  return typeof child === 'object' ? child : { text: visible(String(child)), props: {} };
}

// patch makes the children of parent those that are described.
export function patch(parent, children) {
  const keyed = new Map();
  const rest = [];
  for (const node of parent.childNodes) {
    const key = shown.get(node)?.props.key;
    if (key === undefined) rest.push(node);
    else keyed.set(key, node);
  }
  const nodes = children.map((child) => {
    const node = take(child, keyed, rest);
    return node ? update(node, child) : create(child);
  });
  for (const node of [...keyed.values(), ...rest]) node.remove();
  arrange(parent, nodes);
}

function take(child, keyed, rest) {
  const { key } = child.props;
  if (key === undefined) {
    const at = rest.findIndex((node) => shown.get(node)?.tag === child.tag);
    return at < 0 ? undefined : rest.splice(at, 1)[0];
  }
  const node = keyed.get(key);
  if (!node || shown.get(node).tag !== child.tag) return undefined;
  keyed.delete(key);
  return node;
}

function create(child) {
  if (child.tag === undefined) {
    const node = document.createTextNode(child.text);
    shown.set(node, child);
    return node;
  }
  const drawn = child.tag === 'svg' || child.tag === 'path';
  const element = drawn ? document.createElementNS(SVG, child.tag) : document.createElement(child.tag);
  for (const [name, value] of Object.entries(child.props)) setProperty(element, name, value);
  fill(element, child);
  Object.assign(element, child.props.initial);
  return element;
}

function update(node, child) {
  const before = shown.get(node);
  if (child.tag === undefined) {
    if (before.text !== child.text) node.data = child.text;
    shown.set(node, child);
    return node;
  }
  for (const name of new Set([...Object.keys(before.props), ...Object.keys(child.props)])) {
    if (before.props[name] !== child.props[name]) setProperty(node, name, child.props[name]);
  }
  fill(node, child);
  return node;
}

function fill(element, child) {
  const { content } = child.props;
  if (!content) patch(element, child.children);
  else if (element.firstChild !== content) element.replaceChildren(content);
  shown.set(element, child);
}

const OURS = new Set(['key', 'content', 'initial']);

function setProperty(element, name, value) {
  if (OURS.has(name)) return;
  if (name.startsWith('on')) element[name] = value ?? null;
  else if (value === undefined || value === null || value === false) element.removeAttribute(name);
  else element.setAttribute(name, value === true ? '' : visible(String(value)));
}

// arrange moves the nodes into their order around the one that has the focus,
// which would lose it if it were moved.
function arrange(parent, nodes) {
  const fixed = nodes.findIndex((node) => node.parentNode === parent && node.contains(document.activeElement));
  let next = null;
  for (let i = nodes.length - 1; i >= 0; i--) {
    if (i !== fixed && (nodes[i].parentNode !== parent || nodes[i].nextSibling !== next)) parent.insertBefore(nodes[i], next);
    next = nodes[i];
  }
}
