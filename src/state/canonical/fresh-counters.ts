import type { Observed, ObservedTable, TableCounter } from "../../model/stores/store-adapter.ts";
import type { Facts } from "./facts.ts";

/** A counter whose numbers are used in one column, in which they are renamed. */
export interface RenamedCounter extends TableCounter {
  readonly system: string;
  readonly table: string;
}

/**
 * Decides for the counters of renamed columns if their values belong to the state. As long as every id in the column is a number that the counter has
 * passed, the value only says that the next id is a new one, which is so in every state. If an id is ahead of its counter, a later insert may fail, so
 * the value belongs to the state.
 */
export class FreshCounters {
  readonly #counters: ReadonlyMap<string, RenamedCounter>;
  /** The largest id of the root state in the column of each counter. */
  #mostInRoot: ReadonlyMap<string, number | bigint> = new Map();

  constructor(counters: readonly RenamedCounter[]) {
    this.#counters = new Map(counters.map((one) => [keyOf(one.system, one.name), one]));
  }

  /** Reads the ids of the root state, all of whose rows are `added`. */
  root({ systems }: Facts): void {
    const mostInRoot = new Map<string, number | bigint>();
    for (const [key, { system, table, column }] of this.#counters) {
      const observed = systems[system];
      const most = observed?.kind === "rows" ? mostIn(observed.tables, table, column) : undefined;
      if (most !== undefined) mostInRoot.set(key, most);
    }
    this.#mostInRoot = mostInRoot;
  }

  /** Takes the root state of another instance. */
  asIn(other: FreshCounters): void {
    this.#mostInRoot = other.#mostInRoot;
  }

  /** Returns `true` if the value of a counter does not belong to the state. */
  isFresh(system: string, name: string, { counters, tables }: Extract<Observed, { readonly kind: "rows" }>): boolean {
    const key = keyOf(system, name);
    const counter = this.#counters.get(key);
    const value = counters[name];
    if (counter === undefined || value === null || value === undefined) return false;
    const isPassed = (id: number | bigint | undefined): boolean =>
      id === undefined || (counter.shows === "next" ? id < value : id <= value);
    return isPassed(this.#mostInRoot.get(key)) && isPassed(mostIn(tables, counter.table, counter.column));
  }
}

const keyOf = (system: string, counter: string): string => JSON.stringify([system, counter]);

function mostIn(tables: readonly ObservedTable[], name: string, column: string): number | bigint | undefined {
  const table = tables.find((one) => one.name === name);
  const at = table?.columns.findIndex((one) => one.name === column) ?? -1;
  let most: number | bigint | undefined;
  for (const row of table?.added ?? []) {
    const id = row[at];
    if ((typeof id === "number" || typeof id === "bigint") && (most === undefined || id > most)) most = id;
  }
  return most;
}
