import type { Observed, ObservedTable, TableCounter } from "../../model/stores/store-adapter.ts";
import type { Facts } from "./facts.ts";

/** A counter that generates the ids in one column, where these ids are renamed. */
export interface RenamedCounter extends TableCounter {
  readonly system: string;
  readonly table: string;
}

/**
 * Decides for the counters of renamed columns if their values belong to the state. If the counter is ahead of every id in its column, its value only
 * shows that the next id will be new. This is so in every state, so the value is left out. If an id is ahead of the counter, a later insert may fail,
 * so the value belongs to the state.
 */
export class FreshCounters {
  readonly #counters = new Map<string, RenamedCounter[]>();
  /** For each counter: its value in the root state, and the largest id in its column in the root state. */
  #roots: ReadonlyMap<RenamedCounter, InRoot> = new Map();

  constructor(counters: readonly RenamedCounter[]) {
    for (const one of counters) this.#counters.set(one.system, [...(this.#counters.get(one.system) ?? []), one]);
  }

  /** Reads the root state, all of whose rows are `added`, and whose counters are all shown. */
  root({ systems }: Facts): void {
    const roots = new Map<RenamedCounter, InRoot>();
    for (const [system, counters] of this.#counters) {
      const observed = systems[system];
      if (observed?.kind !== "rows") continue;
      for (const one of counters)
        roots.set(one, { value: observed.counters[one.name], most: mostIn(observed.tables, one.table, one.column) });
    }
    this.#roots = roots;
  }

  /** Uses the root state that another instance has read. */
  asIn(other: FreshCounters): void {
    this.#roots = other.#roots;
  }

  /**
   * Returns the counters of a store whose values do not belong to the state. Includes counters that are not in `counters` because they still have
   * their values of the root state. Otherwise, reductions would distinguish such a state from a state in which the counter has a higher value.
   */
  of(system: string, { counters, tables }: Extract<Observed, { readonly kind: "rows" }>): readonly string[] {
    const some = this.#counters.get(system);
    if (some === undefined) return NONE;
    return some.flatMap((counter) => {
      const { name, table, column, shows } = counter;
      const root = this.#roots.get(counter);
      const value = counters[name] === undefined ? root?.value : counters[name];
      const isPassed = (id: number | bigint | undefined): boolean =>
        id === undefined || (value !== undefined && value !== null && (shows === "next" ? id < value : id <= value));
      return value !== null && isPassed(root?.most) && isPassed(mostIn(tables, table, column)) ? [name] : NONE;
    });
  }
}

interface InRoot {
  readonly value: number | bigint | null | undefined;
  readonly most: number | bigint | undefined;
}

const NONE: readonly string[] = [];

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
