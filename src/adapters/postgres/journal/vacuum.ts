import { OURS, type Table } from "../schema/catalog.ts";
import type { Control } from "../connect/control.ts";

/** Dead rows of the log after which it is vacuumed: some dozens of pages, which every reading goes through. */
const LOG_ENTRIES = 2000;
/** Rows put back in a table after which it is vacuumed: the server's own vacuum comes once a minute at most. */
const ROWS = 5000;

/** Keeps the log and the tables that are written and put back again and again from growing. */
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

  /** Entries of the log were read and deleted. */
  count(entries: number): void {
    this.#entries += entries;
  }

  /** Rows of a table, by index, were changed by a put-back. About as many entries of the log were deleted. */
  wrote(table: number, rows: number): void {
    this.#entries += rows;
    const before = this.#written[table] ?? 0;
    this.#written[table] = before + rows;
    if (before < ROWS && before + rows >= ROWS) this.#due.push(table);
  }

  /** Vacuums what is due. Never waits for a lock: there will be another time. */
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

/** A vacuum that never waits for a lock. Not truncating the file spares one that would hold up the target. */
export function vacuumText(table: string): string {
  return `vacuum (truncate false, skip_locked true) ${table}`;
}
