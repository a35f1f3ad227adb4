/** Collects texts, each text once, and computes how many bytes they take in the report. */
export class StringTable {
  readonly texts: string[] = [];
  bytes = 0;
  readonly #places = new Map<string, number>();

  place(text: string): number {
    const known = this.#places.get(text);
    if (known !== undefined) return known;
    const place = this.texts.length;
    this.#places.set(text, place);
    this.texts.push(text);
    this.bytes += Buffer.byteLength(inertJson(text)) + 1;
    return place;
  }
}

/** Returns JSON that is safe inside HTML and JavaScript. Characters that could begin a tag or comment, or end a line, are escaped. */
export function inertJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[<>&\u007f-\u009f\u2028\u2029\ufeff]/g,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
