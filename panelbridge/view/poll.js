// Asking the server for news: often while something happens, seldom when not,
// never twice at once, and not at all while nobody looks.

const QUICK = 1_000; // ms
const SLOW = 5_000;
const QUIET = 60_000; // without news for so long: slow
const LONGEST = 30_000; // between tries after errors

export class Poller {
  #ask;
  #isActive;
  #timer = 0;
  #asking = false;
  #again = false;
  #stopped = true;
  #failures = 0;
  #lastNews = 0;

  // ask resolves to whether there was news; isActive says whether any is expected.
  constructor(ask, isActive) {
    this.#ask = ask;
    this.#isActive = isActive;
  }

  start() {
    this.#stopped = false;
    this.#lastNews = Date.now();
    document.addEventListener('visibilitychange', this.#onVisibility);
    this.now();
  }

  stop() {
    this.#stopped = true;
    clearTimeout(this.#timer);
    document.removeEventListener('visibilitychange', this.#onVisibility);
  }

  // now asks at once, or again as soon as the answer that is on its way is here.
  now() {
    this.#lastNews = Date.now();
    if (this.#asking) this.#again = true;
    else this.#poll();
  }

  #onVisibility = () => {
    if (!document.hidden) this.now();
  };

  async #poll() {
    clearTimeout(this.#timer);
    if (this.#stopped || document.hidden) return;
    this.#asking = true;
    try {
      if (await this.#ask()) this.#lastNews = Date.now();
      this.#failures = 0;
    } catch {
      this.#failures++;
    }
    this.#asking = false;
    if (this.#stopped) return;
    this.#timer = setTimeout(() => this.#poll(), this.#again ? 0 : this.#pause());
    this.#again = false;
  }

  #pause() {
    if (this.#failures > 0) return Math.min(LONGEST, QUICK * 2 ** (this.#failures - 1));
    return this.#isActive() && Date.now() - this.#lastNews < QUIET ? QUICK : SLOW;
  }
}
