import { RowSums } from "../../../stores/journal/multiset-mirror.ts";
import { OURS, readCatalog, type Table } from "../schema/catalog.ts";
import { hasCounter, nextIn, putCounters, showCreate } from "../schema/counters.ts";
import type { Control, Row } from "../connect/control.ts";
import { errnoOf, routineHidden } from "../connect/failures.ts";
import { imagesIn, selectImages } from "../read/observe.ts";
import { batches, putBackStatements } from "../put-back/put-back.ts";
import { named, quoteName, quoteText } from "../connect/sql-text.ts";
import { renamed, type Naming } from "./database-names.ts";

export interface Snapshot {
  readonly kind: "snapshot";
  /** The definitions of tables, views, routines, triggers and events, in an order in which they can be created. */
  readonly objects: readonly SchemaObject[];
  readonly tables: readonly TableContent[];
}

interface SchemaObject {
  readonly kind: "table" | "view" | "trigger" | "procedure" | "function" | "event";
  readonly name: string;
  readonly create: string;
  /** The `sql_mode` with which the object was created. Empty for tables and views. */
  readonly mode: string;
  /** The time zone in which the times of an event are given. `undefined` for other objects. */
  readonly zone?: string | undefined;
}

interface TableContent {
  readonly name: string;
  /** The next AUTO_INCREMENT value. `undefined` if the table has no such column or its counter is still at 1. */
  readonly next?: string | undefined;
  readonly rows: readonly string[];
}

/**
 * Returns the next AUTO_INCREMENT value of each observed table whose value differs from the value in `root`, or `null` if the table no longer has
 * such a column. Without `root`, returns the values of all tables.
 */
export function countersIn(
  now: Snapshot,
  root: Snapshot | undefined,
  isObserved: (table: string) => boolean,
): Record<string, number | bigint | null> {
  const [values, before] = [nextValues(now), root === undefined ? undefined : nextValues(root)];
  const differing: Record<string, number | bigint | null> = {};
  for (const name of new Set([...values.keys(), ...(before?.keys() ?? [])])) {
    const value = values.get(name);
    if (isObserved(name) && value !== before?.get(name)) differing[name] = value === undefined ? null : integer(value);
  }
  return differing;
}

/** Returns the next value of each table with an AUTO_INCREMENT column. SHOW CREATE TABLE leaves out the value 1. */
function nextValues({ objects, tables }: Snapshot): Map<string, bigint> {
  const counting = new Set(objects.filter(({ kind, create }) => kind === "table" && hasCounter(create)).map(({ name }) => name));
  return new Map(tables.filter(({ name }) => counting.has(name)).map(({ name, next }) => [name, BigInt(next ?? 1)]));
}

function integer(value: bigint): number | bigint {
  return value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value;
}

export function isSnapshot(image: unknown): image is Snapshot {
  return typeof image === "object" && image !== null && (image as { kind?: unknown }).kind === "snapshot";
}

export function sameSnapshot(a: Snapshot, b: Snapshot): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}

/**
 * Reads the whole database while no other session has an open write transaction. LOCK TABLES waits one second for the end of such transactions, and
 * then fails with an error for which `isBusy` returns `true`.
 */
export async function takeSnapshot(control: Control): Promise<Snapshot> {
  return (await readSnapshot(control)).snapshot;
}

/**
 * The catalog of the previous read. The next read uses this catalog if the table definitions are unchanged, because reading the catalog takes most of
 * the time.
 */
interface KnownCatalog {
  readonly tables: readonly Table[];
  readonly names: string;
  readonly texts: readonly string[];
}

const known = new WeakMap<Control, KnownCatalog>();
const NO_COLUMN = 1054;
const NO_TABLE = 1146;

export async function readSnapshot(control: Control): Promise<{ readonly snapshot: Snapshot; readonly catalog: readonly Table[] }> {
  const before = known.get(control);
  known.delete(control);
  const tables = before?.tables ?? (await readCatalog(control)).tables;
  const found = await readLocked(control, tables).catch((error: unknown) => {
    // The catalog of the previous read is outdated, because it names a table or column that no longer exists. The caller reads the catalog again.
    if (before !== undefined && [NO_COLUMN, NO_TABLE].includes(errnoOf(error) ?? 0)) return undefined;
    throw error;
  });
  if (found === undefined) return readSnapshot(control);
  const { names, others } = await otherObjects(control);
  const texts = tables.map((_, i) => (found[2 * i]?.[0]?.[1] ?? "").replace(/ AUTO_INCREMENT=\d+/, ""));
  if (before !== undefined && !(names === before.names && texts.every((text, i) => text === before.texts[i]))) return readSnapshot(control);
  known.set(control, { tables, names, texts });
  const contents = tables.map((table, i): TableContent => {
    const next = nextIn(found[2 * i]?.[0]?.[1] ?? "");
    return { name: table.name, ...(next === undefined ? {} : { next }), rows: imagesIn(table, found[2 * i + 1] ?? []).sort() };
  });
  const objects = [...tables.map(({ name }, i): SchemaObject => ({ kind: "table", name, create: texts[i]!, mode: "" })), ...others];
  return { snapshot: { kind: "snapshot", objects, tables: contents }, catalog: tables };
}

/** Reads the definition and all row images of each table, while one lock on all tables prevents writes. */
async function readLocked(control: Control, tables: readonly Table[]): Promise<Row[][]> {
  if (tables.length === 0) return [];
  const reading = tables.flatMap((table) => [showCreate(table), selectImages(table)]);
  try {
    return (await control.batch([lock(tables, "read"), ...reading, "unlock tables"])).slice(1, -1);
  } catch (error) {
    if (!control.lost) await control.rows("unlock tables");
    throw error;
  }
}

function lock(tables: readonly Table[], how: "read" | "write"): string {
  return `lock tables ${tables.map(({ sqlName }) => `${sqlName} ${how}`).join(", ")}`;
}

async function otherObjects(control: Control): Promise<{ readonly names: string; readonly others: readonly SchemaObject[] }> {
  const schema = control.store.database;
  const [names = [], routines = [], views = [], triggers = [], events = [], [[ignores] = []] = []] = await control.batch([
    `select table_name, table_type from information_schema.tables where ${named("table_schema", schema)} and table_type <> 'VIEW' order by table_name`,
    `select routine_type, routine_name, definer from information_schema.routines where ${named("routine_schema", schema)} order by routine_type, routine_name`,
    `select table_name from information_schema.views where ${named("table_schema", schema)} order by table_name`,
    `select trigger_name from information_schema.triggers where ${named("event_object_schema", schema)} order by event_object_table, action_timing, event_manipulation, action_order`,
    `select event_name from information_schema.events where ${named("event_schema", schema)} order by event_name`,
    "select @@lower_case_table_names",
  ]);
  const all = [...names, ...routines.map(([, name]) => [name]), ...views, ...triggers, ...events].map(([name]) => name!);
  // Definitions do not name the database, so that they can also be executed in another lane's database.
  const naming: Naming = { from: schema, to: undefined, objects: new Set(all), ignoresCase: ignores !== "0" };
  const objects: SchemaObject[] = [];
  for (const [type, name, definer] of routines) {
    const kind = type === "PROCEDURE" ? "procedure" : "function";
    const [row] = await control.rows(`show create ${kind} ${quoteName(name!)}`);
    if (typeof row?.[2] !== "string") throw routineHidden(schema, `${kind} "${name!}"`, definer!);
    const mode = row[1] ?? "";
    objects.push({ kind, name: name!, mode, create: renamed(row[2], naming, mode) });
  }
  for (const [name] of views) {
    const [row] = await control.rows(`show create view ${quoteName(name!)}`);
    objects.push({ kind: "view", name: name!, mode: "", create: renamed(row?.[1] ?? "", naming) });
  }
  for (const [name] of triggers) {
    if (name!.startsWith(OURS)) continue;
    const [row] = await control.rows(`show create trigger ${quoteName(name!)}`);
    const mode = row?.[1] ?? "";
    objects.push({ kind: "trigger", name: name!, mode, create: renamed(row?.[2] ?? "", naming, mode) });
  }
  for (const [name] of events) {
    const [row] = await control.rows(`show create event ${quoteName(name!)}`);
    // The server drops a one-time event after its execution, so the event may no longer exist.
    if (row === undefined) continue;
    const mode = row[1] ?? "";
    objects.push({ kind: "event", name: name!, mode, zone: row[2] ?? "SYSTEM", create: renamed(row[3] ?? "", naming, mode) });
  }
  return { names: JSON.stringify(names), others: objects };
}

export async function putSnapshot(control: Control, wanted: Snapshot): Promise<void> {
  const { snapshot: now, catalog } = await readSnapshot(control);
  const same = JSON.stringify(now.objects) === JSON.stringify(wanted.objects);
  const remade = same ? new Set<string>() : await putObjects(control, now, wanted);
  const tables = same ? catalog : (await readCatalog(control)).tables;
  const sums = new RowSums();
  tables.forEach(({ name }, i) => {
    const before = remade.has(name) ? [] : (now.tables.find((one) => one.name === name)?.rows ?? []);
    const after = wanted.tables.find((one) => one.name === name)?.rows ?? [];
    if (before.length === after.length && before.every((row, at) => row === after[at])) return;
    for (const row of before) sums.add(i, row, -1);
    for (const row of after) sums.add(i, row, 1);
  });
  const statements = putBackStatements(tables, sums);
  if (statements.length > 0) await writeLocked(control, tables, statements);
  const values = wanted.tables.flatMap(({ name, next }) => (next === undefined ? [] : [[name, next] as const]));
  await putCounters(control, tables, new Map(values));
}

async function writeLocked(control: Control, tables: readonly Table[], statements: readonly string[]): Promise<void> {
  const parts = batches([lock(tables, "write"), "set session autocommit = 0", ...statements, "commit"]);
  try {
    for (const part of parts) await control.rows(part.join(";\n"));
  } finally {
    if (!control.lost) await control.batch(["rollback", "set session autocommit = 1", "unlock tables"]);
  }
}

/**
 * Drops and creates objects until the schema equals the schema of a snapshot.
 *
 * @returns the names of the tables that were created again and are therefore empty
 */
async function putObjects(control: Control, now: Snapshot, wanted: Snapshot): Promise<Set<string>> {
  const text = (one: SchemaObject): string => JSON.stringify(one);
  const [there, should] = [new Set(now.objects.map(text)), new Set(wanted.objects.map(text))];
  const tables = new Set(now.objects.filter((one) => one.kind === "table" && !should.has(text(one))).map(({ name }) => name));
  for (const one of [...now.objects].reverse()) {
    if (!should.has(text(one))) await control.rows(`drop ${one.kind} if exists ${quoteName(one.name)}`);
  }
  const remade = new Set<string>();
  // DROP TABLE also drops the table's triggers, so ask the server which triggers still exist.
  let left: Set<string> | undefined;
  for (const one of wanted.objects) {
    if (one.kind === "trigger" && tables.size > 0) {
      left ??= new Set((await otherObjects(control)).others.map(({ kind, name }) => `${kind} ${name}`));
      if (left.has(`trigger ${one.name}`)) continue;
    } else if (there.has(text(one))) continue;
    if (one.kind === "table") remade.add(one.name);
    await create(control, one);
  }
  return remade;
}

async function create(control: Control, { create: sql, mode, zone }: SchemaObject): Promise<void> {
  await control.rows("set @seqqa_mode = @@session.sql_mode");
  try {
    if (mode !== "") await control.rows(`set session sql_mode = ${quoteText(mode)}`);
    if (zone !== undefined) await control.rows(`set session time_zone = ${quoteText(zone)}`);
    await control.rows(sql);
  } finally {
    await control.batch(["set session sql_mode = @seqqa_mode", "set session time_zone = '+00:00'"]);
  }
}
