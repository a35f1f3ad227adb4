import type { CounterColumn } from "../../messages/lane-messages.ts";
import type { World } from "../../model/declare/world.ts";
import type { Schemas } from "../../model/stores/ignored.ts";
import type { Observed, StoredValue } from "../../model/stores/store-adapter.ts";
import type { RenamedCounter } from "../../state/index.ts";

/**
 * The number of spent ids from which actions probably create and delete rows in a loop. Larger than the limit that the documentation recommends for
 * create actions, so that a search with this limit stays exact.
 */
const LEAST_SPENT = 4;
const NONE: readonly never[] = [];

/**
 * Finds states in which several new ids of a counter are spent: no row has these ids, because the rows were deleted again or not inserted. If actions
 * can spend ids repeatedly, the counter makes each repetition a new state, so the search never ends.
 */
export class SpentIds {
  /** The counters that belong to states. */
  readonly columns: readonly CounterColumn[];
  readonly #counters: readonly (RenamedCounter & CounterColumn)[];

  /** `renamed`: the counters that states leave out, because their ids are renamed. */
  constructor({ systems }: Pick<World<never, never>, "systems">, schemas: Schemas, renamed: readonly RenamedCounter[]) {
    const isRenamed = new Set(renamed.map(({ system, name }) => `${system}.${name}`));
    this.#counters = [...schemas]
      .flatMap(([system, tables]) =>
        tables.flatMap(({ name: table, counters = [] }) =>
          counters.map((one) => ({
            ...one,
            system,
            table,
            counter: `${system}.${one.name}`,
            field: `${table}.${one.column}`,
            canLeave: systems[system]?.traits.canLeaveCounters === true && one.isShort !== true,
          })),
        ),
      )
      .filter(({ counter }) => !isRenamed.has(counter));
    this.columns = this.#counters.map(({ counter, field, canLeave }) => ({ counter, field, canLeave }));
  }

  /** Returns the counters with many spent ids. `systems`: the observed state. `roots`: the values of the counters in the root state, by store. */
  in(
    systems: Readonly<Record<string, Observed>>,
    roots: Readonly<Record<string, Readonly<Record<string, number | bigint | null>>>>,
  ): readonly string[] {
    // Return early, because this method is called for most steps, and most worlds have no such counter.
    if (this.#counters.length === 0) return NONE;
    const found: string[] = [];
    for (const { system, table, column, name, shows, counter } of this.#counters) {
      const observed = systems[system];
      const value = observed?.kind === "rows" ? observed.counters[name] : undefined;
      if (observed?.kind !== "rows" || value === undefined || value === null) continue;
      const root = roots[system]?.[name] ?? (shows === "next" ? 1 : 0);
      const taken = Number(value) - Number(root);
      if (taken < LEAST_SPENT) continue;
      const isNew = (id: StoredValue | undefined): boolean =>
        (typeof id === "number" || typeof id === "bigint") && (shows === "next" ? id >= root : id > root);
      const rows = observed.tables.find((one) => one.name === table);
      const at = rows?.columns.findIndex((one) => one.name === column) ?? -1;
      if (taken - (rows?.added.filter((row) => isNew(row[at])).length ?? 0) < LEAST_SPENT) continue;
      found.push(counter);
    }
    return found;
  }
}
