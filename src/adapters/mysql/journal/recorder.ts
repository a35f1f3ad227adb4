import type { StoreScope } from "../../../model/stores/store-adapter.ts";
import { AskedSince, ForeignWrite } from "../../../stores/external-store.ts";
import type { RowSums } from "../../../stores/multiset-mirror.ts";
import type { Table } from "../schema/catalog.ts";
import type { Control } from "../connect/control.ts";
import type { JournalLog } from "./journal-log.ts";
import { forgetAbove, keepStatements } from "./journal-sql.ts";
import { batches } from "../put-back/put-back.ts";
import { changedRows } from "../read/shown-row.ts";

/** Keeps in an external store what the run changed, so that after a kill these changes can be separated from those of others. */
export class Recorder {
  readonly #control: Control;
  readonly #tables: readonly Table[];
  readonly #asked: AskedSince;
  readonly #limitMs: number;
  /** The level of the mirror's root in the recorded changes. */
  #base = 0;

  constructor(control: Control, tables: readonly Table[], { asked, watching }: Pick<StoreScope, "asked" | "watching">, limitMs: number) {
    this.#control = control;
    this.#tables = tables;
    this.#asked = new AskedSince(asked, watching);
    this.#limitMs = limitMs;
  }

  /** `true` while a write that is seen cannot be the run's. */
  get isQuiet(): boolean {
    return this.#asked.isQuiet;
  }

  /**
   * Judges the changes that a look found, and moves them from the log to the record. `wasQuiet`: {@link isQuiet} before the look. `depth`: the
   * mirror's depth before it takes the changes in.
   *
   * @throws SeqqaError `FOREIGN_WRITE`, with nothing recorded
   */
  async record(sums: RowSums, log: JournalLog, wasQuiet: boolean, depth: number): Promise<void> {
    if (wasQuiet && this.#asked.isQuiet) this.#requireNothing(sums);
    const entries = [...log.present];
    if (entries.length > 0) {
      const kept = keepStatements(this.#base + depth + 1, sums.deltas());
      const parts = batches(["start transaction", ...log.removal(entries), ...kept, "commit"]);
      // Waits by itself: the log is not read a second time.
      await this.#control.patiently(() => this.#write(parts), this.#limitMs);
      log.forget(entries);
    }
    this.#asked.looked();
  }

  /** Returns statements for a transaction that restores the state of a depth, and adds rows to it. */
  restored(depth: number, added: RowSums | undefined): readonly string[] {
    const level = this.#base + depth;
    return [forgetAbove(level), ...keepStatements(level + 1, added === undefined ? [] : added.deltas())];
  }

  /** Makes the state of this depth the root of the mirror. */
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
