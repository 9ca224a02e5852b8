// Text as a person may see it.

const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;
// Line ends and tabs are seen; the two joiners shape letters and emoji.
const KEPT = new Set(['\n', '\t', '\u200c', '\u200d']);

// visible escapes what acts on the text around it instead of being seen, such
// as a right-to-left override, in the way that the text surfaces do.
export function visible(text) {
  return text.replace(HIDDEN, (character) => (KEPT.has(character) ? character : escaped(character)));
}

function escaped(character) {
  const code = character.codePointAt(0).toString(16);
  if (code.length <= 2 && character < '\u0080') return `\\x${code.padStart(2, '0')}`;
  return code.length <= 4 ? `\\u${code.padStart(4, '0')}` : `\\U${code.padStart(8, '0')}`;
}

const encoder = new TextEncoder();

export function byteLength(text) {
  return encoder.encode(text).length;
}

// duration is what lies between two times in milliseconds, in its largest unit.
export function duration(from, to) {
  const seconds = Math.max(0, Math.round((to - from) / 1000));
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m`;
  return `${Math.floor(seconds / 3600)}h ${Math.floor((seconds % 3600) / 60)}m`;
}

const LATEST = 8.64e15; // ms, the last time that a Date can hold

// Clock writes times as the person's host asks for them.
export class Clock {
  #locale;
  #timeZone;

  // A host may name a locale or a time zone that this browser does not know.
  constructor(locale, timeZone) {
    try {
      new Intl.DateTimeFormat(locale, { timeZone });
      this.#locale = locale;
      this.#timeZone = timeZone;
    } catch {
      // The browser's own then.
    }
  }

  // time leaves out the date when it is today's.
  time(milliseconds) {
    const day = this.#format(milliseconds, { dateStyle: 'medium' });
    const time = this.#format(milliseconds, { timeStyle: 'short' });
    return day === this.#format(Date.now(), { dateStyle: 'medium' }) ? time : `${day}, ${time}`;
  }

  #format(milliseconds, style) {
    if (Math.abs(milliseconds) > LATEST) return String(milliseconds);
    return new Intl.DateTimeFormat(this.#locale, { ...style, timeZone: this.#timeZone }).format(new Date(milliseconds));
  }
}

// place is a file and its line as text.
export function place(path, line) {
  return line ? `${path}:${line}` : path;
}
