import { createHash } from "node:crypto";
import type { Client } from "pg";
import type { Observed } from "../../../model/stores/store-adapter.ts";
import { schemaChanges } from "../../../stores/index.ts";
import { readCatalog, rowsOf, type Table } from "../schema/catalog.ts";
import { dumpDatabase, LARGE_OBJECT, readSchema } from "../read/dump.ts";
import { ShownTables, observeAll, observeCounters } from "../read/observe.ts";
import { select } from "../read/selection.ts";
import { kindOf } from "../read/values.ts";
import type { StoreUrl } from "../connect/store-url.ts";
import { inUserPath } from "../read/user-path.ts";

export interface FullReading {
  readonly tables: readonly (readonly [Table, readonly string[]])[];
  readonly counters: Readonly<Record<string, number | bigint>>;
  readonly digest: string;
  /** The objects of the schema. Empty if only some tables are observed. */
  readonly schema: readonly string[];
}

/** The large objects as rows of a table. Their changes fire no triggers, so a journal cannot record them. */
const LARGE_OBJECTS: Table = {
  oid: "",
  schema: "pg_catalog",
  sqlName: "pg_catalog.pg_largeobject",
  fullName: "pg_catalog.pg_largeobject",
  name: "pg_largeobject",
  columns: [
    { name: "loid", kind: kindOf("pg_catalog", "oid"), generated: false },
    { name: "data", kind: kindOf("pg_catalog", "bytea"), generated: false },
  ],
  key: [],
  shown: [{ name: "loid", key: true }, { name: "data" }],
  shownAt: [0, 1],
  ignored: [],
  types: [],
};
const LARGE_OBJECT_ROWS = `select row(oid, ${LARGE_OBJECT})::text from pg_largeobject_metadata`;

export async function readDigest(client: Client): Promise<string> {
  return createHash("sha256")
    .update(await readDump(client))
    .digest("base64");
}

export async function readDump(client: Client): Promise<string> {
  return inOneState(client, () => dumpDatabase(client));
}

export async function readEverything(
  client: Client,
  store: StoreUrl,
  schemas: readonly string[] | undefined,
  names: readonly string[] | undefined,
): Promise<FullReading> {
  return inOneState(client, async () => {
    const catalog = await readCatalog(client);
    const all = [...catalog.tables, ...catalog.views];
    const selection = select(store, { ...catalog, tables: all }, schemas, names);
    const isWhole = names === undefined && schemas === undefined;
    const schema = await readSchema(client);
    const tables: [Table, string[]][] = [];
    for (const table of all.filter(selection.tables)) {
      const read = (): Promise<[string][]> => rowsOf<[string]>(client, `select (t.*)::text from only ${table.sqlName} t`);
      const rows = await inUserPath((sql) => client.query(sql), table, read);
      tables.push([table, rows.map(([row]) => row)]);
    }
    if (isWhole) tables.push([LARGE_OBJECTS, (await rowsOf<[string]>(client, LARGE_OBJECT_ROWS)).map(([row]) => row)]);
    const sequences = catalog.sequences.filter(({ cached }) => !cached);
    const pairs = sequences.map(({ sqlName }) => `(select array[last_value, is_called::int] from ${sqlName})`).join(", ");
    const [counters] = await rowsOf<[string]>(client, `select array[${pairs}]::bigint[]::text`);
    return {
      tables,
      counters: observeCounters(sequences, counters?.[0] ?? "{}", undefined, selection),
      digest: createHash("sha256")
        .update(await dumpDatabase(client, schema))
        .digest("base64"),
      schema: isWhole ? schema : [],
    };
  });
}

async function inOneState<T>(client: Client, work: () => Promise<T>): Promise<T> {
  await client.query("begin isolation level repeatable read read only");
  const result = await work();
  await client.query("commit");
  return result;
}

export function observeReading({ tables, counters }: FullReading): Observed {
  return { kind: "rows", tables: observeAll(tables), counters };
}

/**
 * Returns the differences between two reads of all tables. If the columns of a table changed, its old rows all count as removed, and its present rows
 * all count as added.
 */
export function observeDifference(root: FullReading, now: FullReading): Observed {
  const shown = new ShownTables();
  const before = new Map(root.tables.map((entry) => [signature(entry[0]), entry]));
  for (const [table, rows] of now.tables) {
    const old = before.get(signature(table));
    before.delete(signature(table));
    const counts = countsOf(old?.[1] ?? []);
    for (const row of rows) if (!takes(counts, row)) shown.add(table, row, 1);
    for (const [row, count] of counts) if (count > 0) shown.add(table, row, -count);
  }
  for (const [table, rows] of before.values()) for (const row of rows) shown.add(table, row, -1);
  const counters: Record<string, number | bigint | null> = {};
  for (const name of new Set([...Object.keys(root.counters), ...Object.keys(now.counters)])) {
    if (root.counters[name] !== now.counters[name]) counters[name] = now.counters[name] ?? null;
  }
  return { kind: "rows", tables: [...schemaChanges(root.schema, now.schema), ...shown.all()], counters };
}

function signature({ fullName, columns }: Table): string {
  return JSON.stringify([fullName, columns]);
}

function countsOf(rows: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const row of rows) counts.set(row, (counts.get(row) ?? 0) + 1);
  return counts;
}

function takes(counts: Map<string, number>, row: string): boolean {
  const left = counts.get(row) ?? 0;
  if (left > 0) counts.set(row, left - 1);
  return left > 0;
}
