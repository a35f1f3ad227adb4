import { isPlain, own, type Plain } from "../parse/plain.ts";
import { lookUp } from "../parse/pointer.ts";

/** The maximum number of references that are followed in a row. */
const MOST_STEPS = 100;

export class References {
  readonly #document: Plain;
  readonly #moved: (ref: string) => string;
  readonly #found = new Map<string, unknown>();

  /** @param moved Converts a reference of an older OpenAPI version to the reference that its target has after the conversion. */
  constructor(document: Plain, moved: (ref: string) => string = (ref) => ref) {
    this.#document = document;
    this.#moved = moved;
  }

  /**
   * Returns the value to which a reference points. This value may itself be a reference. Returns `undefined` if the value does not exist or the
   * reference is not local.
   */
  target(ref: string): unknown {
    if (!ref.startsWith("#")) return undefined;
    if (this.#found.has(ref)) return this.#found.get(ref);
    const value = lookUp(this.#document, this.#moved(ref).slice(1));
    // A missing target is not cached, because the conversion of the document may still create it.
    if (value !== undefined) this.#found.set(ref, value);
    return value;
  }

  /** Follows a chain of references to the first value that is not a reference. Returns `undefined` for a missing target or a circle of references. */
  end(value: unknown): unknown {
    let at = value;
    for (let steps = 0; steps < MOST_STEPS; steps++) {
      const ref = refOf(at);
      if (ref === undefined) return at;
      at = this.target(ref);
    }
    return undefined;
  }

  /** Follows a chain of references to an object. Returns `undefined` if the value at the end is not an object. */
  object(value: unknown): Plain | undefined {
    const end = this.end(value);
    return isPlain(end) ? end : undefined;
  }

  /** Clears the cache of targets. Call this after the document has changed. */
  forget(): void {
    this.#found.clear();
  }
}

export function refOf(value: unknown): string | undefined {
  const ref = isPlain(value) ? own(value, "$ref") : undefined;
  return typeof ref === "string" ? ref : undefined;
}
