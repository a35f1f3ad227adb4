import { Clock } from "../../state/values/clock.ts";
import type { Facts } from "../../state/canonical/facts.ts";
import { scan } from "../../state/values/scan.ts";
import type { CallEnd } from "./execution.ts";
import { NO_VISITOR } from "./id-places.ts";
import { mapFacts } from "./map-facts.ts";

export interface AnswerRules {
  /** Text that occurs on this lane only, with the placeholders that replace it. */
  readonly placeholders: readonly (readonly [string, string])[];
  readonly clockMs: number;
}

/** Normalizes the texts of answers. Ids that occur in no state are ignored. */
export class AnswerTexts {
  readonly #clock: Clock;
  readonly #placeholders: AnswerRules["placeholders"];
  readonly #held: WeakMap<Facts, ReadonlySet<string>> = new WeakMap();

  constructor({ placeholders, clockMs }: AnswerRules) {
    this.#clock = new Clock(clockMs);
    this.#placeholders = [...placeholders].sort((a, b) => b[0].length - a[0].length);
  }

  /** Returns a text with placeholders for its ids and times. */
  blank(text: string): string {
    if (/^\d{10,}(?:\.\d+)?$/.test(text) && this.#clock.nearNumber(Number(text))) return "<time>";
    const pieces = scan(text, this.#clock, this.#placeholders);
    return pieces === null
      ? text
      : pieces.map((one) => (one.kind === "text" ? one.text : `<${one.kind === "id" ? `id ${one.form}` : one.kind}>`)).join("");
  }

  /** Returns the text unchanged if all of its ids are known. Other texts are treated like {@link blank}. */
  blankUnless(text: string, known: ReadonlySet<string>): string {
    const ids = this.#idsIn(text);
    return ids.length > 0 && ids.every((id) => known.has(id)) ? text : this.blank(text);
  }

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

/** Returns `true` if the call was refused, by status 4xx or 503. */
export const isRefusal = ({ status }: Pick<CallEnd, "status">): boolean => (status >= 400 && status < 500) || status === 503;

/** Returns data without the order of its lists and keys. Each text is replaced by the result of `text`. */
export function unordered(value: unknown, text: (value: string) => string): unknown {
  if (typeof value === "string") return text(value);
  // A set merges equal items, so wrap each item in a list of its own.
  if (Array.isArray(value)) return new Set(value.map((item) => [unordered(item, text)]));
  if (typeof value === "object" && value !== null) {
    return new Map(Object.entries(value).map(([key, item]) => [text(key), unordered(item, text)]));
  }
  return value;
}

const HAS_UUID = /[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}/;

/**
 * Replaces each object that has ids as keys by a Map. The encoder of states treats object keys as fixed names in sorted order, where random ids would
 * change the order.
 */
export function withMaps(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withMaps);
  if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  const entries = Object.entries(value).map(([key, item]): [string, unknown] => [key, withMaps(item)]);
  return entries.some(([key]) => HAS_UUID.test(key)) ? new Map(entries) : Object.fromEntries(entries);
}
