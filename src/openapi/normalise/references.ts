import { isPlain, own, type Plain } from "../parse/plain.ts";
import { lookUp } from "../parse/pointer.ts";

/** How many references may follow one another. */
const MOST_STEPS = 100;

/** Follows local references (`#/...`). */
export class References {
  readonly #document: Plain;
  readonly #moved: (ref: string) => string;
  readonly #found = new Map<string, unknown>();

  /** @param moved Where what a reference says is to be found now. */
  constructor(document: Plain, moved: (ref: string) => string = (ref) => ref) {
    this.#document = document;
    this.#moved = moved;
  }

  /** What a reference leads to, which may be another reference; `undefined` where that is nothing, or in no local place. */
  target(ref: string): unknown {
    if (!ref.startsWith("#")) return undefined;
    if (this.#found.has(ref)) return this.#found.get(ref);
    const value = lookUp(this.#document, this.#moved(ref).slice(1));
    // What leads nowhere is not kept: documents are changed while they are mended.
    if (value !== undefined) this.#found.set(ref, value);
    return value;
  }

  /** Follows references to the first value that is none; `undefined` for one that leads nowhere or round in a circle. */
  end(value: unknown): unknown {
    let at = value;
    for (let steps = 0; steps < MOST_STEPS; steps++) {
      const ref = refOf(at);
      if (ref === undefined) return at;
      at = this.target(ref);
    }
    return undefined;
  }

  /** The same, where an object has to be. */
  object(value: unknown): Plain | undefined {
    const end = this.end(value);
    return isPlain(end) ? end : undefined;
  }

  /** What was looked up may be elsewhere by now. */
  forget(): void {
    this.#found.clear();
  }
}

/** The `$ref` of an object, where it has one. */
export function refOf(value: unknown): string | undefined {
  const ref = isPlain(value) ? own(value, "$ref") : undefined;
  return typeof ref === "string" ? ref : undefined;
}
