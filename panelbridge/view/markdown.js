// A small, safe part of Markdown: headings, paragraphs, lists, code, emphasis.
// There is no markup in it and no link: "[label](url)" becomes "label (url)".
import { h } from './dom.js';

const FENCE = /^\s*(```+|~~~+)/;
const HEADING = /^ {0,3}(#{1,6})\s+(.*?)\s*#*\s*$/;
const ITEM = /^(\s*)([-*+]|(\d{1,9})[.)])\s+(.*)$/;
const TOP = 4; // headings start below those of panel and block
const LOWEST = 6;

export function markdown(text) {
  const lines = text.split('\n');
  const blocks = [];
  for (let at = 0; at < lines.length; ) {
    const [block, next] = blockAt(lines, at);
    if (block) blocks.push(block);
    at = next;
  }
  return blocks;
}

function blockAt(lines, at) {
  const line = lines[at];
  if (line.trim() === '') return [null, at + 1];
  const fence = FENCE.exec(line);
  if (fence) return code(lines, at + 1, fence[1]);
  const heading = HEADING.exec(line);
  if (heading) {
    const level = Math.min(LOWEST, TOP + heading[1].length - 1);
    return [h(`h${level}`, null, inline(heading[2])), at + 1];
  }
  if (ITEM.test(line)) return list(lines, at);
  return paragraph(lines, at);
}

function code(lines, at, fence) {
  let end = at;
  while (end < lines.length && !lines[end].trim().startsWith(fence)) end++;
  const text = lines.slice(at, end).join('\n');
  return [h('pre', { tabindex: '0', role: 'region', 'aria-label': 'code' }, h('code', null, text)), end + 1];
}

function paragraph(lines, at) {
  let end = at + 1;
  while (end < lines.length && lines[end].trim() !== '' && ![FENCE, HEADING, ITEM].some((start) => start.test(lines[end]))) end++;
  return [h('p', null, inline(lines.slice(at, end).join('\n'))), end];
}

// list reads items, and puts those that are indented further below the last.
function list(lines, at) {
  const top = { indent: -1, items: [] };
  const open = [top]; // from the outermost list to the innermost
  let end = at;
  for (; end < lines.length && lines[end].trim() !== '' && !FENCE.test(lines[end]); end++) {
    const item = ITEM.exec(lines[end]);
    if (!item) {
      open.at(-1).items.at(-1).text += `\n${lines[end].trim()}`;
      continue;
    }
    const [, { length: indent }, , start, text] = item;
    while (open.length > 2 && indent <= open.at(-2).indent) open.pop();
    if (indent > open.at(-1).indent) {
      const inner = { indent, start, items: [] };
      (open.at(-1).items.at(-1) ?? top).inner = inner;
      open.push(inner);
    }
    open.at(-1).items.push({ text });
  }
  return [listNode(top.inner), end];
}

function listNode({ start, items }) {
  const nodes = items.map((item) => h('li', null, inline(item.text), item.inner && listNode(item.inner)));
  return start === undefined ? h('ul', null, nodes) : h('ol', { start }, nodes);
}

const EMPHASIS = [
  { mark: '**', tag: 'strong', word: false },
  { mark: '__', tag: 'strong', word: true },
  { mark: '*', tag: 'em', word: false },
  { mark: '_', tag: 'em', word: true },
];

// inline reads code, emphasis and links of one run of text.
function inline(text) {
  const nodes = [];
  const missing = new Set(); // marks that do not come again
  let plain = '';
  const push = (node) => {
    nodes.push(plain, node);
    plain = '';
  };
  const find = (mark, from) => {
    if (missing.has(mark)) return -1;
    const at = text.indexOf(mark, from);
    if (at < 0) missing.add(mark);
    return at;
  };
  for (let at = 0; at < text.length; ) {
    const found = escapeAt(text, at) ?? codeAt(text, at, find) ?? linkAt(text, at, find) ?? emphasisAt(text, at, find);
    if (!found) plain += text[at++];
    else {
      if (typeof found.node === 'string') plain += found.node;
      else push(found.node);
      at = found.end;
    }
  }
  nodes.push(plain);
  return nodes;
}

function escapeAt(text, at) {
  if (text[at] !== '\\' || !/[!-/:-@[-`{-~]/.test(text[at + 1] ?? '')) return null;
  return { node: text[at + 1], end: at + 2 };
}

function codeAt(text, at, find) {
  if (text[at] !== '`') return null;
  let start = at;
  while (text[start] === '`') start++;
  const ticks = text.slice(at, start);
  const end = find(ticks, start);
  if (end < 0) return { node: ticks, end: start };
  return { node: h('code', null, text.slice(start, end)), end: end + ticks.length };
}

function linkAt(text, at, find) {
  const start = text.startsWith('![', at) ? at + 2 : at + 1;
  if (text[start - 1] !== '[') return null;
  const middle = find('](', start);
  const end = middle < 0 ? -1 : find(')', middle);
  if (end < 0) return null;
  const label = text.slice(start, middle);
  const url = text.slice(middle + 2, end);
  if (/[\n[]/.test(label) || /\s/.test(url)) return null;
  return { node: label === url || label === '' ? url : `${label} (${url})`, end: end + 1 };
}

function emphasisAt(text, at, find) {
  const kind = EMPHASIS.find(({ mark }) => text.startsWith(mark, at));
  if (!kind) return null;
  const { mark, tag, word } = kind;
  const start = at + mark.length;
  const end = find(mark, start);
  const isWord = (character) => /[\p{L}\p{N}_]/u.test(character ?? '');
  const refused = end <= start || /\s/.test(text[start]) || /\s/.test(text[end - 1]) || (word && (isWord(text[at - 1]) || isWord(text[end + mark.length])));
  if (refused) return { node: mark, end: start };
  return { node: h(tag, null, inline(text.slice(start, end))), end: end + mark.length };
}
