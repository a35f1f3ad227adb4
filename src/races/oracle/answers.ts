import { Clock } from "../../state/values/clock.ts";
import type { Facts } from "../../state/canonical/facts.ts";
import type { CallEnd } from "./execution.ts";
import { scan } from "../../state/values/scan.ts";
import { NO_VISITOR } from "./id-places.ts";
import { mapFacts } from "./map-facts.ts";

export interface AnswerRules {
  /** Texts that occur only on this lane (such as its URL), with the placeholders that replace them. */
  readonly placeholders: readonly (readonly [string, string])[];
  readonly clockMs: number;
}

/** Replaces ids and times in the texts of answers, so that the answers of two executions can be compared. Ids that occur in no state are ignored. */
export class AnswerTexts {
  readonly #clock: Clock;
  readonly #placeholders: AnswerRules["placeholders"];
  readonly #held: WeakMap<Facts, ReadonlySet<string>> = new WeakMap();

  constructor({ placeholders, clockMs }: AnswerRules) {
    this.#clock = new Clock(clockMs);
    this.#placeholders = [...placeholders].sort((a, b) => b[0].length - a[0].length);
  }

  /** Returns a text with its ids and times replaced by placeholders. */
  blank(text: string): string {
    if (/^\d{10,}(?:\.\d+)?$/.test(text) && this.#clock.nearNumber(Number(text))) return "<time>";
    const pieces = scan(text, this.#clock, this.#placeholders);
    return pieces === null
      ? text
      : pieces.map((one) => (one.kind === "text" ? one.text : `<${one.kind === "id" ? `id ${one.form}` : one.kind}>`)).join("");
  }

  /** Returns the text unchanged if it contains only known ids. In other texts, ids and times are replaced by placeholders. */
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

/** The part of a call's answer that decides if two answers mean the same. */
export type Answer = Pick<CallEnd, "status" | "refused">;

export function isSameAnswer(a: Answer, b: Answer): boolean {
  return a.status === b.status && a.refused === b.refused;
}

/** Returns the status of an answer as text, with a note if the answer refuses the call despite a status below 400. */
export function answerText({ status, refused }: Answer): string {
  return refused && status < 400 ? `${status} with errors` : String(status);
}

/** Returns data in which the order of lists and keys no longer matters. Each text is replaced by the result of the function `text`. */
export function unordered(value: unknown, text: (value: string) => string): unknown {
  if (typeof value === "string") return text(value);
  // Turn a list into a Set, because the order of a Set does not matter. Wrap each item in a list, because a Set would drop equal items.
  if (Array.isArray(value)) return new Set(value.map((item) => [unordered(item, text)]));
  if (typeof value === "object" && value !== null) {
    return new Map(Object.entries(value).map(([key, item]) => [text(key), unordered(item, text)]));
  }
  return value;
}

const HAS_UUID = /[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}/;

/** Replaces each object that has ids as keys by a Map. Objects are compared with sorted keys, and the sort order would depend on the random ids. */
export function withMaps(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withMaps);
  if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  const entries = Object.entries(value).map(([key, item]): [string, unknown] => [key, withMaps(item)]);
  return entries.some(([key]) => HAS_UUID.test(key)) ? new Map(entries) : Object.fromEntries(entries);
}
