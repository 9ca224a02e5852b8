// The polite live region: what is new is read out in turns, not all at once.

import { visible } from './text.js';

const PAUSE = 3_000; // ms
const AT_ONCE = 3;

export class Announcer {
  #region;
  #queue = [];
  #timer = 0;

  constructor(region) {
    this.#region = region;
  }

  say(text) {
    this.#queue.push(text);
    this.#timer ||= setTimeout(() => this.#flush(), 0);
  }

  #flush() {
    const said = this.#queue.slice(-AT_ONCE);
    const left = this.#queue.length - said.length;
    this.#queue = [];
    this.#region.textContent = visible([left > 0 ? `${left} earlier` : '', ...said].filter(Boolean).join('. '));
    this.#timer = setTimeout(() => {
      this.#timer = 0;
      if (this.#queue.length > 0) this.#flush();
    }, PAUSE);
  }
}
