import type { KeptCounters } from "../../../model/stores/store-adapter.ts";
import type { Queries } from "../connect/control.ts";
import type { Table } from "./catalog.ts";

/**
 * Returns a query for a table's definition, which contains the present AUTO_INCREMENT value. information_schema may contain an outdated value,
 * because MySQL caches it there.
 */
export function showCreate({ sqlName }: Pick<Table, "sqlName">): string {
  return `show create table ${sqlName}`;
}

/** Returns the next AUTO_INCREMENT value in a definition. `undefined` if the table has no such column or its counter is still at 1. */
export function nextIn(text: string): string | undefined {
  return / AUTO_INCREMENT=(\d+)/.exec(text)?.[1];
}

export function hasCounter(text: string): boolean {
  return / AUTO_INCREMENT\b/.test(text);
}

/** Returns the next AUTO_INCREMENT value of each table with such a column, keyed by table name. The value 1 is left out. */
export async function readCounters(control: Queries, tables: readonly Table[]): Promise<ReadonlyMap<string, string>> {
  const counting = tables.filter(({ counted }) => counted !== undefined);
  if (counting.length === 0) return new Map();
  const found = await control.batch([...counting.map(showCreate), "do 0"]);
  const values = new Map<string, string>();
  counting.forEach(({ name }, i) => {
    const next = nextIn(found[i]?.[0]?.[1] ?? "");
    if (next !== undefined) values.set(name, next);
  });
  return values;
}

/** Sets AUTO_INCREMENT values. The server raises a value that is too low for the rows of the table. @returns `true` if a value was changed */
export async function putCounters(control: Queries, tables: readonly Table[], wanted: ReadonlyMap<string, string>): Promise<boolean> {
  const now = await readCounters(control, tables);
  const wrong = tables.filter(({ name, counted }) => counted !== undefined && now.get(name) !== wanted.get(name));
  for (const { name, sqlName } of wrong) await control.rows(`alter table ${sqlName} auto_increment = ${wanted.get(name) ?? 1}`);
  return wrong.length > 0;
}

/** Describes the counters that a checkpoint mode does not restore. `undefined` if no table has a counter. */
export function keptCounters(tables: readonly Table[], isBorrowed: boolean, restore: KeptCounters["restore"]): KeptCounters | undefined {
  const names = tables.filter(({ counted }) => counted !== undefined).map(({ name }) => name);
  if (names.length === 0) return undefined;
  const remedy = isBorrowed ? "`checkpoint: copy` and a copy for each lane (`db_url`, not `base_url`)" : "`checkpoint: copy`";
  return { tables: names, remedy, restore: isBorrowed ? undefined : restore };
}
