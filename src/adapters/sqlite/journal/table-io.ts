import type { Database, Statement } from "better-sqlite3";
import { isRawText, keyOf, type ExactRow, type ExactValue, type RowKey } from "../../../stores/index.ts";
import { isBusy } from "../connect/failures.ts";
import type { TablePlan } from "./table-plan.ts";

type Values = ExactValue[];
type Doing = "read" | "delete" | "insert" | "update";

/** Reads and writes single rows of one table. Values are exact: large integers, bytes and invalid text survive. */
export class TableIo {
  readonly plan: TablePlan;
  readonly #db: Database;
  readonly #setAt: readonly number[];
  /** `undefined` for a table whose rows cannot be restored. */
  readonly #usual: Record<Doing, Statement<unknown[], Values>> | undefined;

  /** @throws SqliteError if a statement cannot be prepared, e.g. because it needs a collation that only the target defines */
  constructor(db: Database, plan: TablePlan) {
    this.plan = plan;
    this.#db = db;
    this.#setAt = [...plan.stored.keys()].filter((at) => !plan.ignoredAt.includes(at));
    const none: ReadonlySet<number> = new Set();
    if (plan.lost !== undefined) return;
    this.#usual = {
      read: this.#prepare("read", none),
      delete: this.#prepare("delete", none),
      insert: this.#prepare("insert", none),
      update: this.#prepare("update", none),
    };
  }

  key(row: ExactRow): ExactValue[] {
    return this.plan.keyAt.map((at) => row[at] as ExactValue);
  }

  /** Returns the row with exactly these key values; `null` if there is none. A key that is equal only under the column's collation does not match. */
  read(key: ExactRow): ExactRow | null {
    const row = this.#bound("read", key).get(...bindable(key));
    if (row === undefined) return null;
    const exact = exactRow(row, 0, (at) => this.#bytes(at, key));
    return this.plan.withoutRowid && keyOf(this.plan, exact) !== this.keyFrom(key) ? null : exact;
  }

  /**
   * Returns `false` if the row has a value of its own in a column that was added after the run had begun. Also returns `false` if the default of this
   * column cannot be evaluated.
   */
  isUntouched(key: ExactRow): boolean {
    const { untouched, sqlName } = this.plan;
    if (untouched === undefined) return true;
    const sql = `select 1 from ${sqlName} where ${this.#where(key)} and ${untouched}`;
    try {
      return this.#db.prepare(sql).get(...bindable(key)) !== undefined;
    } catch (error) {
      if (isBusy(error)) throw error;
      return false;
    }
  }

  keyFrom(key: ExactRow): RowKey {
    return keyOf({ keyAt: key.map((_, i) => i) }, key);
  }

  delete(row: ExactRow): void {
    const key = this.key(row);
    this.#bound("delete", key).run(...bindable(key));
  }

  insert(row: ExactRow): void {
    this.#bound("insert", row).run(...bindable(row));
  }

  /** Updates the table row that has the key of `row`. All columns are set, except ignored ones. */
  update(row: ExactRow): void {
    const values = [...this.#setAt.map((at) => row[at] as ExactValue), ...this.key(row)];
    this.#bound("update", values).run(...bindable(values));
  }

  /** Returns all rows of the table, sorted by key. */
  all(): ExactRow[] {
    const { plan } = this;
    const order = plan.keyAt.map((at) => plan.stored[at]).join(", ");
    const rows = this.#db
      .prepare<[], Values>(`select ${plan.stored.join(", ")} from ${plan.sqlName} order by ${order}`)
      .raw()
      .safeIntegers()
      .all();
    return rows.map((row) =>
      exactRow(row, 0, (at) =>
        this.#bytes(
          at,
          plan.keyAt.map((k) => row[k] as ExactValue),
        ),
      ),
    );
  }

  /**
   * Returns the opcodes into which SQLite compiles the update, insert and delete statements. The opcodes show if the statements would fire triggers.
   */
  explain(): readonly string[] {
    return (["delete", "insert", "update"] as const).flatMap((doing) => {
      const explained = this.#db.prepare<unknown[], { opcode: string }>(`explain ${this.#usual![doing].source}`);
      const count = this.#usual![doing].source.split("?").length - 1;
      return explained.all(...Array.from({ length: count }, () => null)).map((row) => row.opcode);
    });
  }

  #bound(doing: Doing, values: ExactRow): Statement<unknown[], Values> {
    for (const value of values) {
      if (typeof value === "object" && value !== null && isRawText(value)) {
        return this.#prepare(doing, new Set(values.flatMap((one, i) => (isRawText(one) ? [i] : []))));
      }
    }
    return this.#usual![doing];
  }

  #prepare(doing: Doing, raw: ReadonlySet<number>): Statement<unknown[], Values> {
    const { plan } = this;
    const value = (i: number): string => (raw.has(i) ? "cast(? as text)" : "?");
    const where = (from: number): string => plan.keyAt.map((at, i) => `${plan.stored[at]} = ${value(from + i)}`).join(" and ");
    const columns = plan.stored.join(", ");
    // OR ABORT overrides ON CONFLICT clauses of the table. If a restored row conflicts with another client's row, the statement must fail instead of
    // replacing the other client's row.
    const sql = {
      read: (): string => `select ${columns} from ${plan.sqlName} where ${where(0)}`,
      delete: (): string => `delete from ${plan.sqlName} where ${where(0)}`,
      insert: (): string => `insert or abort into ${plan.sqlName}(${columns}) values(${plan.stored.map((_, i) => value(i)).join(", ")})`,
      update: (): string =>
        `update or abort ${plan.sqlName} set ${this.#setAt.map((at, i) => `${plan.stored[at]} = ${value(i)}`).join(", ")} where ${where(this.#setAt.length)}`,
    }[doing]();
    const statement = this.#db.prepare<unknown[], Values>(sql);
    return doing === "read" ? statement.raw().safeIntegers() : statement;
  }

  #bytes(at: number, key: ExactRow): Uint8Array {
    const sql = `select cast(${this.plan.stored[at]} as blob) from ${this.plan.sqlName} where ${this.#where(key)}`;
    return this.#db
      .prepare<unknown[], Uint8Array>(sql)
      .pluck()
      .get(...bindable(key)) as Uint8Array;
  }

  #where(key: ExactRow): string {
    const { keyAt, stored } = this.plan;
    return keyAt.map((at, i) => `${stored[at]} = ${isRawText(key[i] as ExactValue) ? "cast(? as text)" : "?"}`).join(" and ");
  }
}

export function bindable(values: ExactRow): unknown[] {
  return values.map((value) => (typeof value === "object" && value !== null && isRawText(value) ? value.rawText : value));
}

/**
 * Returns the values of a row from position `from` on, with each text that is not valid UTF-8 as bytes. The driver replaces invalid bytes by U+FFFD,
 * so `bytesAt` is called to read the bytes of such a value.
 */
export function exactRow(row: ExactValue[], from: number, bytesAt: (at: number) => Uint8Array): ExactRow {
  for (let i = from; i < row.length; i++) {
    const value = row[i];
    if (typeof value !== "string" || !value.includes("\uFFFD")) continue;
    const bytes = bytesAt(i);
    if (!Buffer.from(value, "utf8").equals(bytes)) row[i] = { rawText: bytes };
  }
  return row;
}

/**
 * Reads all rows of a query without loss. The bytes of invalid text are read with a second query, for which the rows must keep their order.
 *
 * @param columns SQL expressions.
 * @param rest The query after its columns, beginning with `from`.
 */
export function exactRows(db: Database, columns: readonly string[], rest: string): ExactRow[] {
  const read = (all: readonly string[]): ExactValue[][] =>
    db
      .prepare<[], ExactValue[]>(`select ${all.join(", ")} ${rest}`)
      .raw()
      .safeIntegers()
      .all();
  let bytes: ExactValue[][] | undefined;
  return read(columns).map((row, index) =>
    exactRow(row, 0, (at) => {
      bytes ??= read(columns.map((column) => `cast(${column} as blob)`));
      return bytes[index]![at] as Uint8Array;
    }),
  );
}
