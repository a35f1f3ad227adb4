import { HIDDEN } from "./field-names.ts";

/** Shorter values are too likely to be ordinary text. */
const SHORTEST = 8;
/** The most values that are kept: single words, and texts of several words. */
const WORDS = 100_000;
const PHRASES = 100;
const WORD = /[\w~+-]+(?:\.[\w~+-]+)*/g;

/**
 * The values that were hidden so far. A secret may be in a listed field in one place, and in another place under a different name, in a path, or in
 * the middle of a sentence. It is hidden in all of them.
 */
export class Secrets {
  readonly #words = new Set<string>();
  readonly #phrases = new Set<string>();

  /** Adds a value. Ordinary values are skipped: short ones, and single words of letters, which occur everywhere. */
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
