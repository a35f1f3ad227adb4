import { Clock } from "../../state/values/clock.ts";
import type { Facts } from "../../state/canonical/facts.ts";
import { scan } from "../../state/values/scan.ts";
import type { CallEnd } from "./execution.ts";
import { NO_VISITOR } from "./id-places.ts";
import { mapFacts } from "./map-facts.ts";

/** Facts about the lane that are needed to compare the answers of two executions. */
export interface AnswerRules {
  /** Text that only this lane has, and the placeholders that replace it. */
  readonly placeholders: readonly (readonly [string, string])[];
  readonly clockMs: number;
}

/** Reads the texts of answers. Ids that no state contains are ignored. */
export class AnswerTexts {
  readonly #clock: Clock;
  readonly #placeholders: AnswerRules["placeholders"];
  readonly #held: WeakMap<Facts, ReadonlySet<string>> = new WeakMap();

  constructor({ placeholders, clockMs }: AnswerRules) {
    this.#clock = new Clock(clockMs);
    this.#placeholders = [...placeholders].sort((a, b) => b[0].length - a[0].length);
  }

  /** Returns a text with a placeholder for each id and time in it. */
  blank(text: string): string {
    if (/^\d{10,}(?:\.\d+)?$/.test(text) && this.#clock.nearNumber(Number(text))) return "<time>";
    const pieces = scan(text, this.#clock, this.#placeholders);
    return pieces === null
      ? text
      : pieces.map((one) => (one.kind === "text" ? one.text : `<${one.kind === "id" ? `id ${one.form}` : one.kind}>`)).join("");
  }

  /** Like {@link blank}, except that a text is kept when all of its ids are known. */
  blankUnless(text: string, known: ReadonlySet<string>): string {
    const ids = this.#idsIn(text);
    return ids.length > 0 && ids.every((id) => known.has(id)) ? text : this.blank(text);
  }

  /** Returns the ids in a state. */
  idsOf(state: Facts): ReadonlySet<string> {
    const known = this.#held.get(state);
    if (known !== undefined) return known;
    const ids = new Set<string>();
    mapFacts(state, {
      ...NO_VISITOR,
      text: (_place, text) => {
        for (const id of this.#idsIn(text)) ids.add(id);
        return undefined;
      },
    });
    this.#held.set(state, ids);
    return ids;
  }

  #idsIn(text: string): readonly string[] {
    return (scan(text, this.#clock, this.#placeholders) ?? []).flatMap((piece) => (piece.kind === "id" ? [piece.key] : []));
  }
}

/** Returns `true` if the call was refused: by any 4xx, or by 503. */
export const isRefusal = ({ status }: Pick<CallEnd, "status">): boolean => (status >= 400 && status < 500) || status === 503;

/** Returns data without an order of its lists and objects, and with its texts replaced by `text`. */
export function unordered(value: unknown, text: (value: string) => string): unknown {
  if (typeof value === "string") return text(value);
  // Each item in a list of its own, so that equal items are counted.
  if (Array.isArray(value)) return new Set(value.map((item) => [unordered(item, text)]));
  if (typeof value === "object" && value !== null) {
    return new Map(Object.entries(value).map(([key, item]) => [text(key), unordered(item, text)]));
  }
  return value;
}

const HAS_UUID = /[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}/;

/**
 * Returns data with a Map for each object that has ids as keys: the encoder of states reads the other keys of an object in their order, and an id may
 * be between them.
 */
export function withMaps(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withMaps);
  if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  const entries = Object.entries(value).map(([key, item]): [string, unknown] => [key, withMaps(item)]);
  return entries.some(([key]) => HAS_UUID.test(key)) ? new Map(entries) : Object.fromEntries(entries);
}
