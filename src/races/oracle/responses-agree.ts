import { responseHash } from "../../state/index.ts";
import type { CallEnd } from "./execution.ts";
import type { AnswerRules } from "./answers.ts";
import type { FreshIds } from "./fresh-ids.ts";
import { dataOf } from "./id-places.ts";
import { redirectPage } from "../../model/http/redirect.ts";

/**
 * Returns `true` if two answers to a call have equal status and body, and redirect to the same page. Bodies are compared without random ids, times
 * near the clock, texts that only this lane has, and the order of lists. Numbers that are ids of new rows count as equal.
 */
export function answersAgree(a: CallEnd, b: CallEnd, freshA: FreshIds, freshB: FreshIds, rules: AnswerRules): boolean {
  if (a.kind !== b.kind || a.status !== b.status) return false;
  const comparison = new Comparison(freshA, freshB, rules);
  return comparison.agree(pageWithoutNumbers(a), pageWithoutNumbers(b)) && comparison.agree(dataOf(a), dataOf(b));
}

/** Returns the page to which the last answer of a call redirects; `undefined` if it is no redirect. */
export function pageOf({ exchanges }: CallEnd): string | undefined {
  const answer = exchanges.at(-1)?.response;
  return answer === undefined ? undefined : redirectPage(answer.status, answer.headers);
}

/** Returns the page to which a call redirects, without numbers, because they may be ids of new rows. Returns an empty text if it does not redirect. */
export function pageWithoutNumbers(call: CallEnd): string {
  return pageOf(call)?.replaceAll(/\d+/g, "#") ?? "";
}

class Comparison {
  readonly #freshA: FreshIds;
  readonly #freshB: FreshIds;
  readonly #rules: AnswerRules;

  constructor(freshA: FreshIds, freshB: FreshIds, rules: AnswerRules) {
    this.#freshA = freshA;
    this.#freshB = freshB;
    this.#rules = rules;
  }

  agree(a: unknown, b: unknown): boolean {
    if (Array.isArray(a) && Array.isArray(b)) return this.#lists(a, b);
    return isRecord(a) && isRecord(b) ? this.#records(a, b) : this.#leaves(a, b);
  }

  #records(a: Readonly<Record<string, unknown>>, b: Readonly<Record<string, unknown>>): boolean {
    const names = new Set([...Object.keys(a), ...Object.keys(b)]);
    return [...names].every((name) => this.agree(a[name], b[name]));
  }

  #lists(a: readonly unknown[], b: readonly unknown[]): boolean {
    if (a.length !== b.length) return false;
    const left = [...b];
    return a.every((item) => {
      const found = left.findIndex((other) => this.agree(item, other));
      if (found >= 0) left.splice(found, 1);
      return found >= 0;
    });
  }

  #leaves(a: unknown, b: unknown): boolean {
    if (a === b) return true;
    if (this.#isFresh(a, this.#freshA) && this.#isFresh(b, this.#freshB)) return true;
    if (typeof a === "number" && typeof b === "number") return this.#hash(String(a)) === this.#hash(String(b));
    if (typeof a !== "string" || typeof b !== "string") return false;
    return this.#hash(a) === this.#hash(b) || this.#hash(this.#without(a, this.#freshA)) === this.#hash(this.#without(b, this.#freshB));
  }

  #isFresh(value: unknown, fresh: FreshIds): boolean {
    return (typeof value === "number" || typeof value === "string") && fresh.all.has(String(value));
  }

  #hash(text: string): number {
    return responseHash(0, text, this.#rules.placeholders, this.#rules.clockMs);
  }

  #without(text: string, fresh: FreshIds): string {
    return text.replaceAll(/\d+/g, (digits) => (fresh.all.has(digits) ? "#" : digits));
  }
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
