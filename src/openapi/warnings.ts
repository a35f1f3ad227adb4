const MOST = 200;

/**
 * Warnings about parts of an OpenAPI description that were left out or corrected. Only the first `MOST` warnings are stored, because an invalid
 * description can cause very many warnings.
 */
export class Warnings {
  readonly #texts = new Set<string>();
  #left = 0;

  /** @param pointer The JSON pointer of the part that the warning is about. */
  add(pointer: string, text: string): void {
    this.say(`${text} (at ${shownPointer(pointer)}).`);
  }

  say(whole: string): void {
    if (this.#texts.has(whole)) return;
    if (this.#texts.size < MOST) this.#texts.add(whole);
    else this.#left++;
  }

  list(): readonly string[] {
    return this.#left === 0
      ? [...this.#texts]
      : [...this.#texts, `${this.#left} more ${this.#left === 1 ? "warning is" : "warnings are"} not listed here.`];
  }
}

const LONGEST = 200;

/** Puts a JSON pointer on one line, because names in the document may contain line breaks. */
function shownPointer(pointer: string): string {
  const text = JSON.stringify(`#${pointer}`).slice(1, -1);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}...` : text;
}
