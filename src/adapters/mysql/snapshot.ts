import { RowSums } from "../../systems/multiset-mirror.ts";
import { OURS, readCatalog, type Table } from "./catalog.ts";
import type { Control } from "./control.ts";
import { imagesOf } from "./observe.ts";
import { putBackStatements } from "./put-back.ts";
import { quoteName, quoteText } from "./sql-text.ts";

/** Everything in a database: plain data. */
export interface Snapshot {
  readonly kind: "snapshot";
  /** In the order in which they can be made. */
  readonly objects: readonly SchemaObject[];
  readonly tables: readonly TableContent[];
}

interface SchemaObject {
  readonly kind: "table" | "view" | "trigger" | "procedure" | "function";
  readonly name: string;
  readonly create: string;
  /** `sql_mode` that its text means; empty for tables and views. */
  readonly mode: string;
}

interface TableContent {
  readonly name: string;
  /** What AUTO_INCREMENT gives next; `undefined`: the table has none, or begins at 1. */
  readonly next?: string | undefined;
  /** Images of all rows, ordered. */
  readonly rows: readonly string[];
}

export function isSnapshot(image: unknown): image is Snapshot {
  return typeof image === "object" && image !== null && (image as { kind?: unknown }).kind === "snapshot";
}

export function sameSnapshot(a: Snapshot, b: Snapshot): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}

/** Reads everything, when nobody is in the middle of a write: that is waited for by a lock of all tables (an error that `isBusy` after a second). */
export async function takeSnapshot(control: Control): Promise<Snapshot> {
  const catalog = await readCatalog(control);
  await lock(control, catalog.tables, "read");
  try {
    const objects: SchemaObject[] = [];
    const tables: TableContent[] = [];
    for (const table of catalog.tables) {
      const text = (await control.rows(`show create table ${table.sqlName}`))[0]?.[1] ?? "";
      const next = / AUTO_INCREMENT=(\d+)/.exec(text)?.[1];
      objects.push({ kind: "table", name: table.name, create: text.replace(/ AUTO_INCREMENT=\d+/, ""), mode: "" });
      tables.push({ name: table.name, ...(next === undefined ? {} : { next }), rows: (await imagesOf(control, table)).sort() });
    }
    await control.rows("unlock tables");
    objects.push(...(await otherObjects(control)));
    return { kind: "snapshot", objects, tables };
  } finally {
    if (!control.lost) await control.rows("unlock tables");
  }
}

async function lock(control: Control, tables: readonly Table[], how: "read" | "write"): Promise<void> {
  if (tables.length === 0) return;
  await control.rows(`lock tables ${tables.map(({ sqlName }) => `${sqlName} ${how}`).join(", ")}`);
}

async function otherObjects(control: Control): Promise<SchemaObject[]> {
  const schema = quoteText(control.store.database);
  const [routines = [], views = [], triggers = []] = await control.batch([
    `select routine_type, routine_name from information_schema.routines where routine_schema = ${schema} order by routine_type, routine_name`,
    `select table_name from information_schema.views where table_schema = ${schema} order by table_name`,
    `select trigger_name from information_schema.triggers where trigger_schema = ${schema} order by event_object_table, action_timing, event_manipulation, action_order`,
  ]);
  const objects: SchemaObject[] = [];
  for (const [type, name] of routines) {
    const kind = type === "PROCEDURE" ? "procedure" : "function";
    const [row] = await control.rows(`show create ${kind} ${quoteName(name!)}`);
    objects.push({ kind, name: name!, mode: row?.[1] ?? "", create: row?.[2] ?? "" });
  }
  for (const [name] of views) {
    const [row] = await control.rows(`show create view ${quoteName(name!)}`);
    // Another lane's database has another name.
    objects.push({ kind: "view", name: name!, mode: "", create: (row?.[1] ?? "").replaceAll(`${quoteName(control.store.database)}.`, "") });
  }
  for (const [name] of triggers) {
    if (name!.startsWith(OURS)) continue;
    const [row] = await control.rows(`show create trigger ${quoteName(name!)}`);
    objects.push({ kind: "trigger", name: name!, mode: row?.[1] ?? "", create: row?.[2] ?? "" });
  }
  return objects;
}

/** Puts a database, which is as `now` says, into a state. */
export async function putSnapshot(control: Control, now: Snapshot, wanted: Snapshot): Promise<void> {
  const remade =
    JSON.stringify(now.objects) === JSON.stringify(wanted.objects) ? new Set<string>() : await putObjects(control, now, wanted);
  const { tables } = await readCatalog(control);
  const sums = new RowSums();
  tables.forEach(({ name }, i) => {
    const before = remade.has(name) ? [] : (now.tables.find((one) => one.name === name)?.rows ?? []);
    const after = wanted.tables.find((one) => one.name === name)?.rows ?? [];
    if (before.length === after.length && before.every((row, at) => row === after[at])) return;
    for (const row of before) sums.add(i, row, -1);
    for (const row of after) sums.add(i, row, 1);
  });
  const statements = putBackStatements(tables, sums);
  if (statements.length > 0) {
    await lock(control, tables, "write");
    try {
      await control.rows("set session autocommit = 0");
      for (const sql of statements) await control.rows(sql);
      await control.rows("commit");
    } finally {
      if (!control.lost) {
        await control.rows("rollback");
        await control.rows("set session autocommit = 1");
        await control.rows("unlock tables");
      }
    }
  }
  await putCounters(control, tables, wanted);
}

/** @returns the tables that were made anew, and are empty */
async function putObjects(control: Control, now: Snapshot, wanted: Snapshot): Promise<Set<string>> {
  const text = (one: SchemaObject): string => JSON.stringify(one);
  const [there, should] = [new Set(now.objects.map(text)), new Set(wanted.objects.map(text))];
  const tables = new Set(now.objects.filter((one) => one.kind === "table" && !should.has(text(one))).map(({ name }) => name));
  for (const one of [...now.objects].reverse()) {
    if (!should.has(text(one))) await control.rows(`drop ${one.kind} if exists ${quoteName(one.name)}`);
  }
  const remade = new Set<string>();
  // Triggers go with their table: which are left is asked.
  let left: Set<string> | undefined;
  for (const one of wanted.objects) {
    if (one.kind === "trigger" && tables.size > 0) {
      left ??= new Set((await otherObjects(control)).map(({ kind, name }) => `${kind} ${name}`));
      if (left.has(`trigger ${one.name}`)) continue;
    } else if (there.has(text(one))) continue;
    if (one.kind === "table") remade.add(one.name);
    await create(control, one);
  }
  return remade;
}

async function create(control: Control, { create: sql, mode }: SchemaObject): Promise<void> {
  await control.rows("set @seqqa_mode = @@session.sql_mode");
  try {
    if (mode !== "") await control.rows(`set session sql_mode = ${quoteText(mode)}`);
    await control.rows(sql);
  } finally {
    await control.rows("set session sql_mode = @seqqa_mode");
  }
}

async function putCounters(control: Control, tables: readonly Table[], wanted: Snapshot): Promise<void> {
  for (const table of tables) {
    const text = (await control.rows(`show create table ${table.sqlName}`))[0]?.[1] ?? "";
    const [is, should] = [/ AUTO_INCREMENT=(\d+)/.exec(text)?.[1], wanted.tables.find(({ name }) => name === table.name)?.next];
    if (is !== should && / AUTO_INCREMENT\b/.test(text)) await control.rows(`alter table ${table.sqlName} auto_increment = ${should ?? 1}`);
  }
}
