import { OURS, readCatalog } from "../schema/catalog.ts";
import type { Queries } from "../connect/control.ts";
import { ORIGINALS } from "../journal/guards.ts";
import { imagesOf } from "./observe.ts";
import { named, quoteName } from "../connect/sql-text.ts";

/**
 * Returns the whole database as text, with one line for each object and row: first the schema, then all row images. `counters`: `true` to include
 * AUTO_INCREMENT values, which only the mode `copy` restores.
 */
export async function dumpDatabase(control: Queries, counters: boolean): Promise<string> {
  const lines = (await schemaTexts(control, counters)).map(([name, text]) => `${name} ${text.replaceAll("\n", " ")}`);
  const { tables } = await readCatalog(control);
  for (const table of tables) {
    const images = (await imagesOf(control, table)).sort();
    lines.push(...images.map((image) => `${table.name} ${image}`));
  }
  return lines.join("\n");
}

/**
 * Returns the name and the definition of each schema object. Leaves out seqqa's own objects, and returns the user's triggers with their original
 * text.
 */
export async function schemaTexts(control: Queries, counters: boolean): Promise<[name: string, text: string][]> {
  const schema = control.store.database;
  const texts: [string, string][] = [];
  const names = (await control.rows(
    `select table_name, table_type from information_schema.tables where ${named("table_schema", schema)} order by table_name`,
  )) as string[][];
  for (const [name, type] of names) {
    if (name!.startsWith(OURS)) continue;
    const [row] = await control.rows(`show create table ${quoteName(name!)}`);
    const text = row?.[1] ?? "";
    texts.push([`${type === "VIEW" ? "view" : "table"} ${name!}`, counters ? text : text.replace(/ AUTO_INCREMENT=\d+/, "")]);
  }
  const kept = names.some(([name]) => name === ORIGINALS)
    ? new Map((await control.rows(`select name, body from ${ORIGINALS}`)).map(([name, body]) => [name, body ?? ""]))
    : new Map<string | null | undefined, string>();
  const triggers = await control.rows(
    `select trigger_name from information_schema.triggers where ${named("event_object_schema", schema)} order by event_object_table, action_timing, event_manipulation, action_order`,
  );
  for (const [name] of triggers) {
    if (name!.startsWith(OURS)) continue;
    texts.push([`trigger ${name!}`, kept.get(name) ?? (await control.rows(`show create trigger ${quoteName(name!)}`))[0]?.[2] ?? ""]);
  }
  const routines = await control.rows(
    `select routine_type, routine_name, md5(routine_definition) from information_schema.routines where ${named("routine_schema", schema)} order by routine_type, routine_name`,
  );
  for (const [type, name, digest] of routines) texts.push([`${type!.toLowerCase()} ${name!}`, digest ?? ""]);
  const events = await control.rows(
    `select event_name from information_schema.events where ${named("event_schema", schema)} order by event_name`,
  );
  for (const [name] of events) {
    const [row] = await control.rows(`show create event ${quoteName(name!)}`);
    // The meaning of an event's text depends on its `sql_mode` and time zone, so include both.
    texts.push([`event ${name!}`, row?.slice(1, 4).join(" ") ?? ""]);
  }
  return texts;
}
