import type { StoreScope } from "../../../model/stores/store-adapter.ts";
import { AskedSince, ForeignWrite } from "../../../stores/external-store.ts";
import type { RowSums } from "../../../stores/multiset-mirror.ts";
import type { Table } from "../schema/catalog.ts";
import type { Control } from "../connect/control.ts";
import type { JournalLog } from "./journal-log.ts";
import { forgetAbove, keepStatements } from "./journal-sql.ts";
import { batches } from "../put-back/put-back.ts";
import { changedRows } from "../read/shown-row.ts";

/** Records the run's changes in an external store. After a kill, they can be separated from changes by others. */
export class Recorder {
  readonly #control: Control;
  readonly #tables: readonly Table[];
  readonly #asked: AskedSince;
  readonly #limitMs: number;
  /** The recorded level of the root state. */
  #base = 0;

  constructor(control: Control, tables: readonly Table[], { asked, watching }: Pick<StoreScope, "asked" | "watching">, limitMs: number) {
    this.#control = control;
    this.#tables = tables;
    this.#asked = new AskedSince(asked, watching);
    this.#limitMs = limitMs;
  }

  /** `true` if the run has sent no request since the last read and none is in progress. New writes are then somebody else's. */
  get isQuiet(): boolean {
    return this.#asked.isQuiet;
  }

  /**
   * Checks the changes that were read from the log, and moves them from the log to the record. `wasQuiet`: {@link isQuiet} before the read. `depth`:
   * the depth of the state before these changes.
   *
   * @throws SeqqaError `FOREIGN_WRITE`, with nothing recorded
   */
  async record(sums: RowSums, log: JournalLog, wasQuiet: boolean, depth: number): Promise<void> {
    if (wasQuiet && this.#asked.isQuiet) this.#requireNothing(sums);
    const entries = [...log.present];
    if (entries.length > 0) {
      const kept = keepStatements(this.#base + depth + 1, sums.deltas());
      const parts = batches(["start transaction", ...log.removal(entries), ...kept, "commit"]);
      // Only the write is repeated while the store is busy, not the read before it.
      await this.#control.patiently(() => this.#write(parts), this.#limitMs);
      log.forget(entries);
    }
    this.#asked.looked();
  }

  /** Returns statements for a transaction that restores the state at a depth and then adds rows. */
  restored(depth: number, added: RowSums | undefined): readonly string[] {
    const level = this.#base + depth;
    return [forgetAbove(level), ...keepStatements(level + 1, added === undefined ? [] : added.deltas())];
  }

  /** Makes the state at this depth the root state. */
  rooted(depth: number): void {
    this.#base += depth;
  }

  #requireNothing(sums: RowSums): void {
    const rows = changedRows(this.#tables, sums.deltas());
    if (rows.length > 0) throw new ForeignWrite(`The database ${this.#control.store.shown}`, rows);
  }

  async #write(parts: readonly (readonly string[])[]): Promise<void> {
    try {
      for (const part of parts) await this.#control.rows(part.join(";\n"));
    } catch (error) {
      if (!this.#control.lost) await this.#control.rows("rollback");
      throw error;
    }
  }
}
