import type { RecordedEvidence } from "../../messages/lane-messages.ts";
import type { CheckResult } from "../../model/declare/invariant.ts";
import type { RecordedQuery } from "../../model/results/result.ts";
import type { LaneBase } from "../bring-up/lane-base.ts";

/** `ROWS`: maximum number of rows that are stored for a query. `QUERIES`: maximum number of queries that are stored for a check. */
const ROWS = 20;
const QUERIES = 20;
const LONGEST = 2_000;

/** Records the details that rules give and the queries that they make to stores, until {@link EvidenceRecorder.end} is called. */
export class EvidenceRecorder {
  readonly #base: Pick<LaneBase, "checker" | "world">;
  readonly #details: Map<string, CheckResult> = new Map();
  readonly #queries: Map<string, RecordedQuery[]> = new Map();

  constructor(base: Pick<LaneBase, "checker" | "world">) {
    this.#base = base;
    const { checker, world } = base;
    checker.onDetails = (invariant, details) => void this.#details.set(invariant, details);
    for (const [store, system] of Object.entries(world.systems)) {
      if (system !== undefined) system.onQuery = ({ sql, params, rows }) => this.#add(checker.checked.last, { store, sql, params, rows });
    }
  }

  /** Stops recording. Returns the evidence for the rules with the given names. */
  end(broken: ReadonlySet<string>): readonly RecordedEvidence[] {
    const { checker, world } = this.#base;
    checker.onDetails = undefined;
    for (const system of Object.values(world.systems)) if (system !== undefined) system.onQuery = undefined;
    return [...broken].flatMap((invariant) => {
      const { actual, expected } = this.#details.get(invariant) ?? {};
      const queries = this.#queries.get(invariant) ?? [];
      if (actual === undefined && expected === undefined && queries.length === 0) return [];
      return [
        {
          invariant,
          ...(actual !== undefined && { actual: plain(actual) }),
          ...(expected !== undefined && { expected: plain(expected) }),
          queries,
        },
      ];
    });
  }

  #add(
    invariant: string,
    query: Pick<RecordedQuery, "store" | "sql"> & { readonly params: unknown; readonly rows: readonly Readonly<Record<string, unknown>>[] },
  ): void {
    const all = this.#queries.get(invariant) ?? [];
    if (all.length === QUERIES) return;
    const { store, sql, params, rows } = query;
    const isPlain = params === undefined || (Array.isArray(params) && params.length === 0);
    all.push({
      store,
      sql: sql.slice(0, LONGEST),
      ...(!isPlain && { params: plain(params) }),
      rows: rows.slice(0, ROWS).map((row) => plain(row) as Readonly<Record<string, unknown>>),
      total: rows.length,
    });
    this.#queries.set(invariant, all);
  }
}

/** Converts a value to JSON data for reports. Long texts are shortened, and values that JSON cannot represent become text. */
function plain(value: unknown): unknown {
  const seen = new Set<unknown>();
  const text = JSON.stringify(value, function (this: unknown, _key, one: unknown) {
    if (typeof one === "bigint") return String(one);
    if (typeof one === "string" && one.length > LONGEST) return `${one.slice(0, LONGEST)}...`;
    if (typeof one === "function" || typeof one === "symbol") return String(one);
    if (typeof one !== "object" || one === null) return one;
    if (one instanceof Uint8Array) return `[${one.byteLength} bytes]`;
    if (seen.has(one)) return "[seen above]";
    seen.add(one);
    if (one instanceof Map) return Object.fromEntries([...one].map(([name, member]) => [String(name), member]));
    return one instanceof Set ? [...one] : one;
  });
  return text === undefined ? undefined : (JSON.parse(text) as unknown);
}
