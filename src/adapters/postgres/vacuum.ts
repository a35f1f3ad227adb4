import { OURS, type Table } from "./catalog.ts";
import type { Control } from "./control.ts";

/** Dead rows of the log after which it is vacuumed: about a hundred pages, which every reading goes through. */
const LOG_ENTRIES = 2000;
/** Put-backs of a table after which it is vacuumed, since the server's own vacuum comes once a minute at most. */
const PUT_BACKS = 2000;

/** Keeps the log and the tables that are written and put back again and again from growing. */
export class Vacuum {
  readonly #control: Control;
  readonly #tables: readonly Table[];
  readonly #kept: boolean;
  readonly #written: number[];
  #entries = 0;
  #due: number[] = [];

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

  /** Rows of tables, by index, were put back. What the log held unread is not known here, hence at least one. */
  wrote(tables: readonly number[]): void {
    this.#entries++;
    for (const table of tables) {
      const writes = (this.#written[table] ?? 0) + 1;
      this.#written[table] = writes >= PUT_BACKS ? 0 : writes;
      if (writes >= PUT_BACKS) this.#due.push(table);
    }
  }

  /** Vacuums what is due. Never waits for a lock: there will be another time. */
  async due(): Promise<void> {
    if (this.#entries < LOG_ENTRIES && this.#due.length === 0) return;
    const names = this.#due.map((table) => this.#tables[table]!.sqlName);
    if (this.#entries >= LOG_ENTRIES) {
      names.push(`${OURS}.log`, ...(this.#kept ? [`${OURS}.kept`] : []));
      this.#entries = 0;
    }
    this.#due = [];
    // Not truncating the file spares a lock that would hold up the target.
    for (const name of names) await this.#control.rows(`vacuum (truncate false, skip_locked true) ${name}`);
  }
}
