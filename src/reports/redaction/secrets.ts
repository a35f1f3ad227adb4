import { HIDDEN } from "./field-names.ts";

/** Values with fewer characters than this are not recorded as secrets, because they are likely to be ordinary text. */
const SHORTEST = 8;
/** `WORDS`: the largest number of recorded secrets that are single words. `PHRASES`: the largest number of all other recorded secrets. */
const WORDS = 100_000;
const PHRASES = 100;
const WORD = /[\w~+-]+(?:\.[\w~+-]+)*/g;

/**
 * Collects the secrets that were found so far. A secret in a configured field may also occur under another name, in a path, or in a sentence, and is
 * hidden there, too.
 */
export class Secrets {
  readonly #words = new Set<string>();
  readonly #phrases = new Set<string>();

  /** Records a value as a secret. Short values and single words of letters are skipped, because they occur everywhere. */
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
