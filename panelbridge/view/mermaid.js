// Diagrams, where the host lets the view read the library from the server.
// Everywhere else, and whenever anything is doubtful, the source is shown.

const LIBRARY = 'ui://raw/mermaid.js';
const CONFIGURES = /%%\s*\{|^\s*---/m;
const LINKS = /^\s*(click|links?|href|callback)\b/;
const ACTIVE = 'script, foreignObject, iframe, object, embed, image, audio, video, animate, animateMotion, animateTransform, set';

// drawable refuses a source that configures the library or makes links.
export function drawable(source) {
  return !CONFIGURES.test(source) && !source.split(/[\n;]/).some((line) => LINKS.test(line));
}

export class Diagrams {
  #bridge;
  #changed;
  #library = null; // promise of the library, once it was asked for
  #drawn = new Map(); // source → SVG element, or null while or because there is none
  #last = Promise.resolve(); // the library draws one at a time

  // changed is called when a diagram has become ready.
  constructor(bridge, changed) {
    this.#bridge = bridge;
    this.#changed = changed;
  }

  // of returns the diagram of a source, or null as long as there is none.
  of(key, source) {
    const name = `${key}\n${source}`;
    if (!this.#bridge.capabilities.serverResources || !drawable(source)) return null;
    if (!this.#drawn.has(name)) {
      this.#drawn.set(name, null);
      const id = `diagram-${this.#drawn.size}`;
      this.#last = this.#last.then(() => this.#draw(id, name, source));
    }
    return this.#drawn.get(name);
  }

  async #draw(id, name, source) {
    try {
      const library = await (this.#library ??= this.#load());
      const { svg } = await library.render(id, source);
      this.#drawn.set(name, sanitised(svg));
      this.#changed();
    } catch {
      // The source is on the page already.
    }
  }

  async #load() {
    const text = await this.#bridge.readResource(LIBRARY);
    const script = document.createElement('script');
    script.nonce = 'panels';
    script.textContent = text;
    document.head.append(script);
    const dark = document.documentElement.style.colorScheme === 'dark';
    globalThis.mermaid.initialize({
      startOnLoad: false,
      securityLevel: 'strict',
      htmlLabels: false,
      flowchart: { htmlLabels: false },
      theme: dark ? 'dark' : 'default',
    });
    return globalThis.mermaid;
  }
}

// sanitised is the drawing without anything that acts, loads or leads elsewhere.
function sanitised(svg) {
  const parsed = new DOMParser().parseFromString(svg, 'image/svg+xml');
  const root = parsed.documentElement;
  if (root.localName !== 'svg' || parsed.querySelector('parsererror')) throw new Error('the diagram is no SVG');
  for (const element of root.querySelectorAll(ACTIVE)) element.remove();
  for (const style of root.querySelectorAll('style')) {
    if (/@import|url\(\s*["']?(?!#)/i.test(style.textContent)) style.remove();
  }
  for (const element of [root, ...root.querySelectorAll('*')]) {
    for (const { name, localName, value } of [...element.attributes]) {
      if (/^on/i.test(localName) || (localName === 'href' && !value.startsWith('#')) || /url\(\s*["']?(?!#)/i.test(value)) element.removeAttribute(name);
    }
  }
  return document.importNode(root, true);
}
