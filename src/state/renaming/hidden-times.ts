import type { ObservedTable, StoredValue } from "../../model/stores/store-adapter.ts";
import type { Facts } from "../canonical/facts.ts";
import { momentOf } from "../values/times.ts";

/** Returns `true` if the value of a row in a column is not part of the state. */
type IsLeftOut = (system: string, table: ObservedTable, row: readonly StoredValue[], column: number) => boolean;

/**
 * The times in rows of the root state that observations do not show, because observations contain only changed rows. Such a time can pass, which
 * leads to another state, although nothing is written and the observed rows stay the same.
 */
export class HiddenTimes {
  readonly #counts: ReadonlyMap<number, number>;
  readonly #isLeftOut: IsLeftOut;

  /** @param whole The root state with all its rows. @param shown The rows of the root state that its observation shows. */
  constructor(whole: Facts, shown: Facts["systems"], isLeftOut: IsLeftOut) {
    this.#isLeftOut = isLeftOut;
    const counts = new Map<number, number>();
    this.#count(whole.systems, "added", counts, 1);
    this.#count(shown, "added", counts, -1);
    this.#count(shown, "removed", counts, 1);
    this.#counts = counts;
  }

  /** Returns those of the given times that are in unchanged rows of the root state. An observation of the state does not show these rows. */
  in({ systems }: Facts, times: readonly number[]): readonly number[] {
    if (times.length === 0) return times;
    const removed = new Map<number, number>();
    this.#count(systems, "removed", removed, 1);
    return times.filter((ms) => (this.#counts.get(ms) ?? 0) > (removed.get(ms) ?? 0));
  }

  #count(systems: Facts["systems"], side: "added" | "removed", counts: Map<number, number>, by: number): void {
    for (const [system, observed] of Object.entries(systems)) {
      if (observed.kind !== "rows") continue;
      for (const table of observed.tables) {
        for (const row of table[side]) {
          for (const [column, value] of row.entries()) {
            const ms = momentOf(value)?.ms;
            if (ms !== undefined && !this.#isLeftOut(system, table, row, column)) counts.set(ms, (counts.get(ms) ?? 0) + by);
          }
        }
      }
    }
  }
}
