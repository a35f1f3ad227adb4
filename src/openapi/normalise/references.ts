import { isPlain, own, type Plain } from "../parse/plain.ts";
import { lookUp } from "../parse/pointer.ts";

/** The number of references that may follow one another. */
const MOST_STEPS = 100;

/** Follows local references (`#/...`). */
export class References {
  readonly #document: Plain;
  readonly #moved: (ref: string) => string;
  readonly #found = new Map<string, unknown>();

  /** @param moved Returns the present place of a reference's target. */
  constructor(document: Plain, moved: (ref: string) => string = (ref) => ref) {
    this.#document = document;
    this.#moved = moved;
  }

  /** Returns the target of a reference, which may be another reference; `undefined` if there is none, or if the reference is not local. */
  target(ref: string): unknown {
    if (!ref.startsWith("#")) return undefined;
    if (this.#found.has(ref)) return this.#found.get(ref);
    const value = lookUp(this.#document, this.#moved(ref).slice(1));
    // A missing target is not remembered, since documents change while they are mended.
    if (value !== undefined) this.#found.set(ref, value);
    return value;
  }

  /** Follows references to the first value that is not a reference; `undefined` for a reference that leads nowhere or round in a circle. */
  end(value: unknown): unknown {
    let at = value;
    for (let steps = 0; steps < MOST_STEPS; steps++) {
      const ref = refOf(at);
      if (ref === undefined) return at;
      at = this.target(ref);
    }
    return undefined;
  }

  /** Follows references to an object; `undefined` if the value at the end is no object. */
  object(value: unknown): Plain | undefined {
    const end = this.end(value);
    return isPlain(end) ? end : undefined;
  }

  /** Forgets the targets that were found, since they may have moved. */
  forget(): void {
    this.#found.clear();
  }
}

/** Returns the `$ref` of an object; `undefined` if it has none. */
export function refOf(value: unknown): string | undefined {
  const ref = isPlain(value) ? own(value, "$ref") : undefined;
  return typeof ref === "string" ? ref : undefined;
}
