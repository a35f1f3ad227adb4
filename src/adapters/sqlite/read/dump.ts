import type { Database } from "better-sqlite3";
import { isRawText, type ExactValue } from "../../../stores/index.ts";
import { counterReader, isInHeader } from "../journal/counters.ts";
import { quoteName } from "../connect/sql-text.ts";
import { exactRows } from "../journal/table-io.ts";

/**
 * Returns the user's data as text without loss: the schema, rows with storage classes and hidden rowids, AUTOINCREMENT counters and header integers.
 */
export function dumpDatabase(db: Database): string {
  const lines: string[] = [];
  const schema = db
    .prepare<[], { type: string; name: string; sql: string | null }>(
      `select type, name, sql from sqlite_schema where name not like 'seqqa\\_%' escape '\\' and tbl_name not like 'seqqa\\_%' escape '\\'
       and name not like 'sqlite\\_stat%' escape '\\' order by type, name`,
    )
    .all();
  for (const { type, name, sql } of schema) lines.push(`${type} ${name}: ${sql ?? ""}`);
  const tables = db
    .prepare<[], { name: string; wr: number }>(
      `select name, wr from pragma_table_list where schema = 'main' and type in ('table', 'shadow') and name not like 'seqqa\\_%' escape '\\'
       and name not in ('sqlite_schema', 'sqlite_stat1', 'sqlite_stat4') order by name`,
    )
    .all();
  for (const { name, wr } of tables) lines.push(`-- ${name}`, ...dumpTable(db, name, wr === 1));
  for (const [, name, value] of counterReader(db).all()) if (isInHeader(name)) lines.push(`${String(name)}: ${String(value)}`);
  return `${lines.join("\n")}\n`;
}

function dumpTable(db: Database, name: string, withoutRowid: boolean): string[] {
  const columns = db.prepare<[string], { name: string; pk: number }>("select name, pk from pragma_table_xinfo(?)").all(name);
  const taken = new Set(columns.map((column) => column.name.toLowerCase()));
  const rowid = withoutRowid ? undefined : ["rowid", "_rowid_", "oid"].find((one) => !taken.has(one));
  const keys = columns.filter((column) => column.pk > 0).sort((a, b) => a.pk - b.pk);
  const order = rowid ?? (keys.length > 0 ? keys.map((key) => quoteName(key.name)).join(", ") : "1");
  const all = [...(rowid === undefined ? [] : [rowid]), ...columns.map((column) => quoteName(column.name))];
  return exactRows(db, all, `from ${quoteName(name)} order by ${order}`).map((row) => row.map(valueText).join(" | "));
}

function valueText(value: ExactValue): string {
  if (value === null) return "null";
  if (typeof value === "bigint") return `int ${value}`;
  if (typeof value === "number") return `real ${Object.is(value, -0) ? "-0" : value}`;
  if (typeof value === "string") return `text ${JSON.stringify(value)}`;
  return isRawText(value) ? `text x'${hex(value.rawText)}'` : `blob x'${hex(value)}'`;
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex");
}
