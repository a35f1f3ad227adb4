import { SPENT_IDS, spentText, type InconclusiveEvent } from "../../messages/lane-messages.ts";
import type { World } from "../../model/declare/world.ts";
import type { Schemas } from "../../model/stores/ignored.ts";
import type { Observed, StoredValue } from "../../model/stores/store-adapter.ts";
import type { RenamedCounter } from "../../state/index.ts";

/** Number of ids from which a loop that creates and deletes rows is likely. A path without such a loop seldom deletes so many new rows. */
const LEAST_SPENT = 3;

/**
 * Finds states in which several new ids of a counter are in no row any more, because the rows were deleted again or not inserted. If actions can
 * repeat this, the counter makes each repetition a new state, so the search never ends.
 */
export class SpentIds {
  readonly #counters: readonly RenamedCounter[];
  readonly #world: Pick<World<never, never>, "systems">;

  /** `renamed`: the counters that states already leave out, because their ids are renamed. */
  constructor(world: Pick<World<never, never>, "systems">, schemas: Schemas, renamed: readonly RenamedCounter[]) {
    const isRenamed = new Set(renamed.map(({ system, name }) => `${system}.${name}`));
    this.#world = world;
    this.#counters = [...schemas].flatMap(([system, tables]) =>
      tables.flatMap(({ name: table, counters = [] }) =>
        counters.map((one) => ({ ...one, system, table })).filter(({ name }) => !isRenamed.has(`${system}.${name}`)),
      ),
    );
  }

  /** Returns an event for each counter with many spent ids. `systems`: the observed state. `roots`: the values of the counters in the root state. */
  in(
    systems: Readonly<Record<string, Observed>>,
    roots: Readonly<Record<string, Readonly<Record<string, number | bigint | null>>>>,
  ): readonly InconclusiveEvent[] {
    return this.#counters.flatMap(({ system, table, column, name, shows }) => {
      const observed = systems[system];
      const value = observed?.kind === "rows" ? observed.counters[name] : undefined;
      if (observed?.kind !== "rows" || value === undefined || value === null) return [];
      const root = roots[system]?.[name] ?? (shows === "next" ? 1 : 0);
      const isNew = (id: StoredValue | undefined): boolean =>
        (typeof id === "number" || typeof id === "bigint") && (shows === "next" ? id >= root : id > root);
      const rows = observed.tables.find((one) => one.name === table);
      const at = rows?.columns.findIndex((one) => one.name === column) ?? -1;
      const used = rows?.added.filter((row) => isNew(row[at])).length ?? 0;
      if (Number(value) - Number(root) - used < LEAST_SPENT) return [];
      return [{ invariant: SPENT_IDS, what: spentText({ field: `${table}.${column}`, keepable: this.#keepable(system) }) }];
    });
  }

  #keepable(system: string): readonly string[] {
    if (this.#world.systems[system]?.traits.keepsCounters !== true) return [];
    return this.#counters.filter((one) => one.system === system).map(({ name }) => `${system}.${name}`);
  }
}
