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
  readonly #counters = new Map<string, RenamedCounter[]>();
  /** For each counter: its value in the root state, and the largest id of the root state in its column. */
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

  /** Takes the root state of another instance. */
  asIn(other: FreshCounters): void {
    this.#roots = other.#roots;
  }

  /**
   * Returns the counters of a store whose values do not belong to the state. Also returns counters that are not shown because they have their values
   * of the root state: otherwise, a state would differ in its reductions from a state with a higher value.
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
