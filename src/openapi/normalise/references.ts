import { isPlain, own, type Plain } from "../parse/plain.ts";
import { lookUp } from "../parse/pointer.ts";

/** The maximum length of a chain of references. */
const MOST_STEPS = 100;

export class References {
  readonly #document: Plain;
  readonly #moved: (ref: string) => string;
  readonly #found = new Map<string, unknown>();

  /** @param moved Maps a reference to the reference under which its target is now stored. */
  constructor(document: Plain, moved: (ref: string) => string = (ref) => ref) {
    this.#document = document;
    this.#moved = moved;
  }

  /**
   * Returns the target of a reference. The target may be another reference. Returns `undefined` if the target does not exist or the reference is not
   * local.
   */
  target(ref: string): unknown {
    if (!ref.startsWith("#")) return undefined;
    if (this.#found.has(ref)) return this.#found.get(ref);
    const value = lookUp(this.#document, this.#moved(ref).slice(1));
    // A missing target is not cached, because the document changes while it is normalised.
    if (value !== undefined) this.#found.set(ref, value);
    return value;
  }

  /** Follows references to the first value that is not a reference. Returns `undefined` for a missing target or a circle of references. */
  end(value: unknown): unknown {
    let at = value;
    for (let steps = 0; steps < MOST_STEPS; steps++) {
      const ref = refOf(at);
      if (ref === undefined) return at;
      at = this.target(ref);
    }
    return undefined;
  }

  /** Follows references to an object. Returns `undefined` if the final value is not an object. */
  object(value: unknown): Plain | undefined {
    const end = this.end(value);
    return isPlain(end) ? end : undefined;
  }

  /** Clears the cached targets, because the document has changed. */
  forget(): void {
    this.#found.clear();
  }
}

export function refOf(value: unknown): string | undefined {
  const ref = isPlain(value) ? own(value, "$ref") : undefined;
  return typeof ref === "string" ? ref : undefined;
}
