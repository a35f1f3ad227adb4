import type { Database, Statement } from "better-sqlite3";
import { isRawText, keyOf, type ExactRow, type ExactValue, type RowKey } from "../../../stores/index.ts";
import type { TablePlan } from "./table-plan.ts";

type Values = ExactValue[];
type Doing = "read" | "delete" | "insert" | "update";

/** Reads and writes single rows of one table without loss of precision. */
export class TableIo {
  readonly plan: TablePlan;
  readonly #db: Database;
  readonly #setAt: readonly number[];
  readonly #usual: Record<Doing, Statement<unknown[], Values>>;

  /** @throws SqliteError if a statement cannot be prepared, e.g. because only the target defines a collation */
  constructor(db: Database, plan: TablePlan) {
    this.plan = plan;
    this.#db = db;
    this.#setAt = [...plan.stored.keys()].filter((at) => !plan.ignoredAt.includes(at));
    const none: ReadonlySet<number> = new Set();
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

  /** Returns the row with these identifying values. A key that is equal only under its collation does not match. */
  read(key: ExactRow): ExactRow | null {
    const row = this.#bound("read", key).get(...bindable(key));
    if (row === undefined) return null;
    const exact = exactRow(row, 0, (at) => this.#bytes(at, key));
    return this.plan.withoutRowid && keyOf(this.plan, exact) !== this.keyFrom(key) ? null : exact;
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

  /** Sets all columns, except ignored ones, of the row with the key of `row`. */
  update(row: ExactRow): void {
    const values = [...this.#setAt.map((at) => row[at] as ExactValue), ...this.key(row)];
    this.#bound("update", values).run(...bindable(values));
  }

  /** Returns every row, sorted by key. */
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

  /** Returns the opcodes of the restore statements, which reveal if the statements would fire triggers. */
  explain(): readonly string[] {
    return (["delete", "insert", "update"] as const).flatMap((doing) => {
      const explained = this.#db.prepare<unknown[], { opcode: string }>(`explain ${this.#usual[doing].source}`);
      const count = this.#usual[doing].source.split("?").length - 1;
      return explained.all(...Array.from({ length: count }, () => null)).map((row) => row.opcode);
    });
  }

  #bound(doing: Doing, values: ExactRow): Statement<unknown[], Values> {
    for (const value of values) {
      if (typeof value === "object" && value !== null && isRawText(value)) {
        return this.#prepare(doing, new Set(values.flatMap((one, i) => (isRawText(one) ? [i] : []))));
      }
    }
    return this.#usual[doing];
  }

  #prepare(doing: Doing, raw: ReadonlySet<number>): Statement<unknown[], Values> {
    const { plan } = this;
    const value = (i: number): string => (raw.has(i) ? "cast(? as text)" : "?");
    const where = (from: number): string => plan.keyAt.map((at, i) => `${plan.stored[at]} = ${value(from + i)}`).join(" and ");
    const columns = plan.stored.join(", ");
    // OR ABORT overrides ON CONFLICT clauses of the table. A conflict with a row of another client must fail, not replace or skip rows.
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
    const where = this.plan.keyAt.map((k, i) => `${this.plan.stored[k]} = ${isRawText(key[i] as ExactValue) ? "cast(? as text)" : "?"}`);
    const sql = `select cast(${this.plan.stored[at]} as blob) from ${this.plan.sqlName} where ${where.join(" and ")}`;
    return this.#db
      .prepare<unknown[], Uint8Array>(sql)
      .pluck()
      .get(...bindable(key)) as Uint8Array;
  }
}

export function bindable(values: ExactRow): unknown[] {
  return values.map((value) => (typeof value === "object" && value !== null && isRawText(value) ? value.rawText : value));
}

/** Corrects text that is not valid UTF-8. The driver decodes it with U+FFFD, so its bytes are read instead. */
export function exactRow(row: ExactValue[], from: number, bytesAt: (at: number) => Uint8Array): ExactRow {
  for (let i = from; i < row.length; i++) {
    const value = row[i];
    if (typeof value !== "string" || !value.includes("\uFFFD")) continue;
    const bytes = bytesAt(i);
    if (!Buffer.from(value, "utf8").equals(bytes)) row[i] = { rawText: bytes };
  }
  return row;
}
