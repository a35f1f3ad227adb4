import { TEXT_SETTINGS } from "../connect/connect.ts";

/** Types whose text form is the same in every session. */
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
 * Returns the settings that change the text form of a row with these types. Only these are pinned, because each pinned setting costs every write of
 * the target about half a microsecond. For an unknown type, returns all.
 */
export function settingsFor(types: readonly string[]): readonly string[] {
  const needed = new Set<string>();
  for (const type of types) {
    if (PLAIN.has(type)) continue;
    for (const name of NEEDS[type] ?? Object.keys(TEXT_SETTINGS)) needed.add(name);
  }
  return [...needed].sort();
}
