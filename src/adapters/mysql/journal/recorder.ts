import type { StoreScope } from "../../../model/stores/store-adapter.ts";
import { AskedSince, ForeignWrite } from "../../../stores/external/external-store.ts";
import type { RowSums } from "../../../stores/journal/multiset-mirror.ts";
import type { Table } from "../schema/catalog.ts";
import type { Control } from "../connect/control.ts";
import type { JournalLog } from "./journal-log.ts";
import { forgetAbove, keepStatements } from "./journal-sql.ts";
import { batches } from "../put-back/put-back.ts";
import { changedRows } from "../read/shown-row.ts";

/**
 * Records which rows the run changed in an external store. After a killed run, the records distinguish the run's changes from changes of other
 * clients.
 */
export class Recorder {
  readonly #control: Control;
  readonly #tables: readonly Table[];
  readonly #asked: AskedSince;
  readonly #limitMs: number;
  readonly #wrote: StoreScope["wrote"];
  /** The recorded number (`level`) of the step that led to the root state. */
  #base = 0;

  constructor(control: Control, tables: readonly Table[], { asked, wrote }: Pick<StoreScope, "asked" | "wrote">, limitMs: number) {
    this.#control = control;
    this.#tables = tables;
    this.#asked = new AskedSince(asked);
    this.#limitMs = limitMs;
    this.#wrote = wrote;
  }

  /** `true` if the run has sent no request since the last read and no request is in progress. New writes were then made by other clients. */
  get isQuiet(): boolean {
    return this.#asked.isQuiet;
  }

  /**
   * Checks the row changes that were read from the undo log, and moves them to the table of recorded changes. `wasQuiet`: the value of {@link
   * isQuiet} before the read. `depth`: the number of steps before these changes.
   *
   * @throws SeqqaError `FOREIGN_WRITE`, with nothing recorded
   */
  async record(sums: RowSums, log: JournalLog, wasQuiet: boolean, depth: number): Promise<void> {
    const rows = changedRows(this.#tables, sums.deltas());
    const store = `the database ${this.#control.store.shown}`;
    if (wasQuiet && this.#asked.isQuiet && rows.length > 0) throw new ForeignWrite(store, rows);
    this.#wrote?.(store, rows);
    const entries = [...log.present];
    if (entries.length > 0) {
      const kept = keepStatements(this.#base + depth + 1, sums.deltas());
      const parts = batches(["start transaction", ...log.removal(entries), ...kept, "commit"]);
      // If the store is busy, repeat only this write. Do not repeat the read, because a read returns each entry only once.
      await this.#control.patiently(() => this.#write(parts), this.#limitMs);
      log.forget(entries);
    }
    this.#asked.looked();
  }

  /** Returns SQL statements that delete the records of all steps after `depth` and then record the row changes `added`. */
  restored(depth: number, added: RowSums | undefined): readonly string[] {
    const level = this.#base + depth;
    return [forgetAbove(level), ...keepStatements(level + 1, added === undefined ? [] : added.deltas())];
  }

  /** Makes the state after `depth` steps the root state. */
  rooted(depth: number): void {
    this.#base += depth;
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
