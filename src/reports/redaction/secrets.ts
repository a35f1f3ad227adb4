import { HIDDEN } from "./field-names.ts";

/** Shorter values are not recorded as secrets, because they are likely to be ordinary text. The length is in characters. */
const SHORTEST = 8;
/** The largest numbers of single words, and of texts of several words, that are recorded. */
const WORDS = 100_000;
const PHRASES = 100;
const WORD = /[\w~+-]+(?:\.[\w~+-]+)*/g;

/**
 * The values that were hidden so far. A secret in a listed field may also occur under another name, in a path, or in a sentence. It is hidden in all
 * of these places.
 */
export class Secrets {
  readonly #words = new Set<string>();
  readonly #phrases = new Set<string>();

  /** Records a value. Ordinary values are skipped: short ones and single words of letters, because they occur everywhere. */
  add(value: string): void {
    const text = value.trim().replace(/^(?:basic|bearer|digest|negotiate|token)\s+/i, "");
    if (text.length < SHORTEST || text.length > 4096 || text.includes(HIDDEN)) return;
    if (/^[a-z_]{1,15}$/i.test(text)) return;
    const isWord = WORD.exec(text)?.[0] === text;
    WORD.lastIndex = 0;
    if (isWord) {
      if (this.#words.size < WORDS) this.#words.add(text);
    } else if (this.#phrases.size < PHRASES) this.#phrases.add(text);
  }

  hide(text: string): string {
    if (this.#words.size + this.#phrases.size === 0) return text;
    let shown = this.#words.size === 0 ? text : text.replace(WORD, (word) => (this.#words.has(word) ? HIDDEN : word));
    for (const phrase of this.#phrases) if (shown.includes(phrase)) shown = shown.replaceAll(phrase, HIDDEN);
    return shown;
  }
}
