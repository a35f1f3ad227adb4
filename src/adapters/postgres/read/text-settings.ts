import { TEXT_SETTINGS } from "../connect/connect.ts";
import type { Table } from "../schema/catalog.ts";
import { showsNames } from "./user-path.ts";

/** Types whose values have the same text in every session. */
const PLAIN = new Set(
  `bool int2 int4 int8 numeric oid text varchar bpchar char name uuid json jsonb inet cidr macaddr macaddr8 bit varbit tsvector tsquery
   xid xid8 tid pg_lsn jsonpath enum time`.split(/\s+/),
);
const NEEDS: Readonly<Record<string, readonly string[]>> = {
  date: ["datestyle"],
  timestamp: ["datestyle"],
  timestamptz: ["datestyle", "timezone"],
  timetz: ["datestyle", "timezone"],
  interval: ["intervalstyle"],
  float4: ["extra_float_digits"],
  float8: ["extra_float_digits"],
  bytea: ["bytea_output"],
  money: ["lc_monetary"],
};

/**
 * Returns the settings that change the text of a row with columns of these types. Only these settings are fixed in the logging function, because each
 * fixed setting adds about half a microsecond to every write of the target. If a type is unknown, returns all settings.
 */
export function settingsFor(types: readonly string[]): readonly string[] {
  const needed = new Set<string>();
  for (const type of types) {
    if (PLAIN.has(type)) continue;
    for (const name of NEEDS[type] ?? Object.keys(TEXT_SETTINGS)) needed.add(name);
  }
  return [...needed].sort();
}

/**
 * Returns the settings to fix in a function that reads the rows of a table in the target's session. The search_path is fixed only if it changes the
 * text of a row, because functions of the user that belong to indexes of the table may need another search_path.
 */
export function settingsToRead(table: Pick<Table, "types">): readonly string[] {
  return settingsFor(table.types).filter((name) => name !== "search_path" || showsNames(table));
}
