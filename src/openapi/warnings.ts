const MOST = 200;

/** What was left out or mended in a description. Of a document that is wrong everywhere, the first ones tell enough. */
export class Warnings {
  readonly #texts = new Set<string>();
  #left = 0;

  /** @param pointer Where in the document. */
  add(pointer: string, text: string): void {
    this.say(`${text} (at ${shownPointer(pointer)}).`);
  }

  /** A whole sentence. */
  say(whole: string): void {
    if (this.#texts.has(whole)) return;
    if (this.#texts.size < MOST) this.#texts.add(whole);
    else this.#left++;
  }

  list(): readonly string[] {
    return this.#left === 0 ? [...this.#texts] : [...this.#texts, `There are ${this.#left} more of such.`];
  }
}

const LONGEST = 200;

/** On one line, as it may hold names of all sorts. */
function shownPointer(pointer: string): string {
  const text = JSON.stringify(`#${pointer}`).slice(1, -1);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}...` : text;
}
