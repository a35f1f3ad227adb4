import { responseHash } from "../../state/index.ts";
import type { CallEnd } from "./execution.ts";
import type { FreshIds } from "./fresh-ids.ts";

/** What has to be known to compare the answers of two executions. */
export interface AnswerRules {
  /** What is the lane's own. */
  readonly placeholders: readonly (readonly [string, string])[];
  readonly clockMs: number;
  /** Paths in bodies that differ between two executions of one order: not compared. */
  readonly noisy: ReadonlySet<string>;
}

/**
 * Whether two ends of a call are one answer: kind, status, and the body but for opaque ids, ids of new rows, times near the clock, the lane's own names, and the
 * order of lists. Lenient where it cannot know: a number that is an id of a new row in both counts as equal.
 */
export function answersAgree(a: CallEnd, b: CallEnd, freshA: FreshIds, freshB: FreshIds, rules: AnswerRules): boolean {
  if (a.kind !== b.kind || a.status !== b.status) return false;
  return new Comparison(freshA, freshB, rules).agree(dataOf(a.body), dataOf(b.body), "");
}

/** The paths in which two answers of one order differ; `undefined` where they differ as a whole. */
export function noisyPaths(a: CallEnd, b: CallEnd, freshA: FreshIds, freshB: FreshIds, rules: AnswerRules): readonly string[] | undefined {
  if (a.kind !== b.kind || a.status !== b.status) return undefined;
  const comparison = new Comparison(freshA, freshB, rules);
  comparison.collects = true;
  comparison.agree(dataOf(a.body), dataOf(b.body), "");
  return comparison.differing;
}

function dataOf(body: string | undefined): unknown {
  if (body === undefined) return undefined;
  try {
    return JSON.parse(body) as unknown;
  } catch {
    return body;
  }
}

class Comparison {
  collects = false;
  readonly differing: string[] = [];
  readonly #freshA: FreshIds;
  readonly #freshB: FreshIds;
  readonly #rules: AnswerRules;

  constructor(freshA: FreshIds, freshB: FreshIds, rules: AnswerRules) {
    this.#freshA = freshA;
    this.#freshB = freshB;
    this.#rules = rules;
  }

  agree(a: unknown, b: unknown, path: string): boolean {
    if (this.#rules.noisy.has(path)) return true;
    const same =
      Array.isArray(a) && Array.isArray(b)
        ? this.#lists(a, b, path)
        : isRecord(a) && isRecord(b)
          ? this.#records(a, b, path)
          : this.#leaves(a, b);
    if (!same && this.collects && !(isRecord(a) && isRecord(b))) this.differing.push(path);
    return same || this.collects;
  }

  #records(a: Readonly<Record<string, unknown>>, b: Readonly<Record<string, unknown>>, path: string): boolean {
    const names = new Set([...Object.keys(a), ...Object.keys(b)]);
    let same = true;
    for (const name of names) same = this.agree(a[name], b[name], `${path}.${name}`) && same;
    return same;
  }

  #lists(a: readonly unknown[], b: readonly unknown[], path: string): boolean {
    if (a.length !== b.length) return false;
    if (this.collects) return a.every((item, index) => this.agree(item, b[index], `${path}[]`));
    const left = [...b];
    return a.every((item) => {
      const found = left.findIndex((other) => this.agree(item, other, `${path}[]`));
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

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
