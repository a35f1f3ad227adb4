import { OURS, type Table } from "../schema/catalog.ts";
import type { Control } from "../connect/control.ts";

/** The number of dead rows after which the log is vacuumed: some dozens of pages, which every reading goes through. */
const LOG_ENTRIES = 2000;
/** Restored rows in a table after which it is vacuumed: the server's own vacuum comes once a minute at most. */
const ROWS = 5000;

/** Keeps the log, and the tables that are written and restored again and again, from growing. */
export class Vacuum {
  readonly #control: Control;
  readonly #tables: readonly Table[];
  readonly #kept: boolean;
  readonly #written: number[];
  #entries = 0;
  readonly #due: number[] = [];

  constructor(control: Control, tables: readonly Table[], kept: boolean) {
    this.#control = control;
    this.#tables = tables;
    this.#kept = kept;
    this.#written = tables.map(() => 0);
  }

  /** Counts entries of the log that were read and deleted. */
  count(entries: number): void {
    this.#entries += entries;
  }

  /** Counts rows of a table, by index, that a restore changed. About as many entries of the log were deleted. */
  wrote(table: number, rows: number): void {
    this.#entries += rows;
    const before = this.#written[table] ?? 0;
    this.#written[table] = before + rows;
    if (before < ROWS && before + rows >= ROWS) this.#due.push(table);
  }

  /** Vacuums what is due. Never waits for a lock: a later call tries again. */
  async due(): Promise<void> {
    if (this.#entries < LOG_ENTRIES && this.#due.length === 0) return;
    const names = this.#due.map((table) => this.#tables[table]!.sqlName);
    if (this.#entries >= LOG_ENTRIES) {
      names.push(`${OURS}.log`, ...(this.#kept ? [`${OURS}.kept`] : []));
      this.#entries = 0;
    }
    for (const table of this.#due.splice(0)) this.#written[table] = 0;
    for (const name of names) await this.#control.rows(vacuumText(name));
  }
}

/** Returns a VACUUM that never waits for a lock. The file is not truncated, which would need a lock that holds up the target. */
export function vacuumText(table: string): string {
  return `vacuum (truncate false, skip_locked true) ${table}`;
}
