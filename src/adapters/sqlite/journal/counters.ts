import type { Database, Statement } from "better-sqlite3";
import { sameRow, type ExactRow, type ExactValue } from "../../../stores/index.ts";

/**
 * Integers in the file's header that applications may set, usually to the version of their schema. seqqa restores them like AUTOINCREMENT counters.
 */
const PRAGMAS = ["user_version", "application_id"] as const;
const nameOf = (pragma: string): string => `pragma ${pragma}`;

/**
 * Prepares a query for the counters of a file, as rows of (number, name, value). The number of an AUTOINCREMENT counter is its rowid in
 * `sqlite_sequence`. Integers of the file's header that are not 0 get negative numbers. `without`: the tables whose counters are left out.
 */
export function counterReader(db: Database, without: readonly string[] = []): Statement<[], ExactValue[]> {
  const parts = PRAGMAS.map((pragma, i) => `select ${-1 - i}, '${nameOf(pragma)}', ${pragma} from pragma_${pragma} where ${pragma} <> 0`);
  if (hasSequences(db)) parts.push(`select rowid, name, seq from sqlite_sequence where name not in (${texts(without)})`);
  return db
    .prepare<[], ExactValue[]>(`${parts.join(" union all ")} order by 1`)
    .raw()
    .safeIntegers();
}

/** Returns the counters of these tables as rows of (name, value), for counters that restores leave as they are. */
export function readUnrestored(db: Database, names: readonly string[]): readonly ExactRow[] {
  if (names.length === 0 || !hasSequences(db)) return [];
  return db
    .prepare<[], ExactValue[]>(`select name, seq from sqlite_sequence where name in (${texts(names)}) order by name`)
    .raw()
    .safeIntegers()
    .all();
}

const ADD_COUNTER = `insert into sqlite_sequence(name, seq)
  select @name, @value where not exists (select 1 from sqlite_sequence where name = @name)`;

/** Raises counters to at least these values. */
export function raiseCounters(db: Database, wanted: readonly ExactRow[]): void {
  for (const [name, value] of wanted) {
    db.prepare("update sqlite_sequence set seq = max(seq, ?) where name = ?").run(value, name);
    db.prepare(ADD_COUNTER).run({ name, value });
  }
}

function hasSequences(db: Database): boolean {
  return db.prepare("select 1 from sqlite_schema where name = 'sqlite_sequence'").get() !== undefined;
}

function texts(names: readonly string[]): string {
  return names.map((name) => `'${name.replaceAll("'", "''")}'`).join(", ");
}

export function isInHeader(name: ExactValue | undefined): boolean {
  return PRAGMAS.some((pragma) => nameOf(pragma) === name);
}

/** Writes an integer into the file's header. A `value` that is not an integer is written as 0. */
export function setInHeader(db: Database, name: ExactValue | undefined, value: ExactValue | undefined): void {
  const pragma = PRAGMAS.find((one) => nameOf(one) === name);
  if (pragma !== undefined) db.pragma(`${pragma} = ${typeof value === "bigint" ? value : 0n}`);
}

/**
 * Inserts a counter with its original row id. If another counter already has this row id, which is possible after the target emptied
 * `sqlite_sequence`, the counter gets a new row id.
 */
const INSERT_COUNTER = `insert into sqlite_sequence(rowid, name, seq)
  values((select @at where not exists (select 1 from sqlite_sequence where rowid = @at)), @name, @value)`;

export function putCounters(db: Database, now: readonly ExactRow[], wanted: readonly ExactRow[]): void {
  for (const row of now) {
    if (wanted.some((one) => sameRow(one, row))) continue;
    if (isInHeader(row[1])) setInHeader(db, row[1], 0n);
    else db.prepare("delete from sqlite_sequence where rowid = ?").run(row[0]);
  }
  for (const row of wanted) {
    if (now.some((one) => sameRow(one, row))) continue;
    if (isInHeader(row[1])) setInHeader(db, row[1], row[2]);
    else db.prepare(INSERT_COUNTER).run({ at: row[0], name: row[1], value: row[2] });
  }
}
