import { OURS, type Table } from "../schema/catalog.ts";
import type { Control } from "../connect/control.ts";
import { connect, CONTROL_SETTINGS } from "../connect/connect.ts";
import type { StoreUrl } from "../connect/store-url.ts";

/** The number of deleted log entries after which the undo log is vacuumed. More deleted entries would fill many pages, which every read scans. */
const LOG_ENTRIES = 2000;
/** The number of restored rows after which a table is vacuumed. PostgreSQL's autovacuum runs only once a minute at most. */
const ROWS = 5000;

/** Vacuums the undo log and the restored tables. Without a vacuum, the log and the tables would grow with each restore. */
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

  count(entries: number): void {
    this.#entries += entries;
  }

  /** Counts how many rows of a table a restore has changed. A restore deletes about the same number of log entries. */
  wrote(table: number, rows: number): void {
    this.#entries += rows;
    const before = this.#written[table] ?? 0;
    this.#written[table] = before + rows;
    if (before < ROWS && before + rows >= ROWS) this.#due.push(table);
  }

  /** Vacuums the tables with enough counted changes. Skips a locked table, which a later call vacuums. */
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

/**
 * Returns a VACUUM statement that never waits for a lock. The statement does not truncate the table's file, because the lock for truncating would
 * block the target.
 */
export function vacuumText(table: string): string {
  return `vacuum (truncate false, skip_locked true) ${table}`;
}

/**
 * Removes the dead rows that rollbacks leave. Uses another connection, while the exploring transaction is open. Rows of a rolled back savepoint are
 * immediately dead for all sessions. Skips tables that are locked, not committed yet, or owned by another role.
 */
export async function vacuumApart(store: StoreUrl, tables: readonly string[]): Promise<void> {
  const client = await connect(store, { settings: CONTROL_SETTINGS });
  try {
    for (const table of tables) await client.query(vacuumText(table)).catch(() => undefined);
  } finally {
    await client.end();
  }
}
