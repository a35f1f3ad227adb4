import { types } from "node:util";
import { withoutRowOrder, type Observed, type ObservedTable, type StoredValue } from "../../model/stores/store-adapter.ts";
import { likeJson, writeJson } from "../values/json-source.ts";
import { JsonText } from "../values/named.ts";
import { parsedJson } from "../values/places.ts";
import { childRules, type PathRules } from "../values/rules.ts";
import { modeIn } from "./columns.ts";
import type { Facts } from "./facts.ts";
import type { StateWriter } from "./state-text.ts";

/** Stands for every value that is masked, except NULL. */
const MASKED = "<masked>";

type Writer = Pick<StateWriter, "rules" | "plans" | "pieces">;
type Rows = ObservedTable["added"];

/** Returns `true` if the state does not contain the value that a row has in a column, or contains only whether the value is NULL. */
export function isCellLeftOut(writer: Writer, system: string, table: ObservedTable, row: readonly StoredValue[], column: number): boolean {
  const { kind } = modeOf(writer, system, table, row, column);
  return kind === "ignore" || kind === "mask";
}

/**
 * Returns facts without the values that are left out of states, so that observations can be compared field by field: ignored values are removed, and
 * masked values are all equal. A row that differs from a row of the root state only in such values counts as unchanged.
 */
export function withoutLeftOut({ systems, context, clients, ...rest }: Facts, writer: Writer): Facts {
  const { rules } = writer;
  return {
    ...rest,
    systems: storesWithoutLeftOut(systems, writer),
    context: kept(context, rules.context) as Facts["context"],
    clients: kept(clients, rules.clients) as Facts["clients"],
  };
}

/**
 * Returns the rows of the root state with values that have names in its fingerprint, such as generated ids and times, as text. Two root states with
 * equal fingerprints may differ in these values. @param named the same stores with the names
 */
export function namedText(systems: Facts["systems"], named: Facts["systems"]): string {
  if (named === systems) return "";
  return tablesText(systems, (name, { added }, index) => {
    const other = named[name]!;
    const names = other.kind === "rows" ? other.tables[index]!.added : [];
    return added.filter((row, at) => row.some((value, column) => names[at]?.[column] !== value));
  });
}

/** Returns the values of tables that are left out of states as text, to compare two root states whose fingerprints are equal. */
export function leftOutText(systems: Facts["systems"], writer: Writer): string {
  return tablesText(systems, (name, table) =>
    hasLeftOut(writer, name, table)
      ? table.added.map((row) => row.filter((_value, column) => isCellLeftOut(writer, name, table, row, column)))
      : [],
  );
}

/** Returns rows of all tables as text that does not depend on their order. Tables without rows have no text. */
function tablesText(systems: Facts["systems"], rowsOf: (system: string, table: ObservedTable, index: number) => Rows): string {
  const texts = Object.entries(systems).flatMap(([name, observed]) =>
    observed.kind === "value"
      ? []
      : observed.tables.map((table, index) => {
          const rows = rowsOf(name, table, index);
          return rows.length === 0 ? "" : `${name}.${table.name} ${rows.map(rowText).toSorted().join()}\n`;
        }),
  );
  return texts.join("");
}

/** Returns `true` if values of the table may be left out of states. */
function hasLeftOut(writer: Writer, system: string, table: ObservedTable): boolean {
  return writer.plans.of(system, table).modes.some(({ kind }) => kind === "ignore" || kind === "mask" || kind === "by_row");
}

/** Returns the contents of stores without the values that are left out of states; see {@link withoutLeftOut}. */
export function storesWithoutLeftOut(systems: Facts["systems"], writer: Writer): Facts["systems"] {
  return Object.fromEntries(
    Object.entries(systems).map(([name, observed]): [string, Observed] => {
      if (observed.kind === "value") return [name, { ...observed, value: kept(observed.value, childRules(writer.rules.systems, name)) }];
      return [name, { ...observed, tables: observed.tables.map((table) => tableWithoutLeftOut(name, table, writer)) }];
    }),
  );
}

function tableWithoutLeftOut(system: string, table: ObservedTable, writer: Writer): ObservedTable {
  if (!hasLeftOut(writer, system, table)) return table;
  const shown = (rows: Rows): Rows =>
    rows.map((row) =>
      row.map((value, column) => {
        const { kind } = modeOf(writer, system, table, row, column);
        return kind === "ignore" || (kind === "mask" && value === null) ? null : kind === "mask" ? MASKED : value;
      }),
    );
  const [added, removed] = apart(shown(table.added), shown(table.removed));
  return { ...withoutRowOrder(table), added, removed };
}

function modeOf(
  writer: Writer,
  system: string,
  table: ObservedTable,
  row: readonly StoredValue[],
  column: number,
): ReturnType<typeof modeIn> {
  return modeIn(writer.plans.of(system, table).modes[column]!, row, table.columns, (text) => writer.pieces(text));
}

/** Returns a value without its ignored parts, and with one text in place of each masked part. */
function kept(value: unknown, rules: PathRules | undefined): unknown {
  if (rules === undefined || value === null || value === undefined) return value;
  if (rules.rule !== undefined) return rules.rule === "mask" ? MASKED : undefined;
  if (value instanceof JsonText) return new JsonText(kept(value.value, rules));
  if (typeof value === "string") return parsedJson(value) === undefined ? value : writeJson(kept(parsedJson(value), rules));
  if (typeof value !== "object") return value;
  if (Array.isArray(value)) {
    const inner = childRules(rules, "[]");
    return inner?.rule === "ignore"
      ? []
      : likeJson(
          value.map((item) => kept(item, inner)),
          value,
        );
  }
  if (types.isMap(value)) return new Map(entriesKept([...value], rules));
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null
    ? likeJson(Object.fromEntries(entriesKept(Object.entries(value), rules)), value)
    : value;
}

function entriesKept<K>(entries: readonly (readonly [K, unknown])[], rules: PathRules): readonly (readonly [K, unknown])[] {
  return entries.flatMap(([key, item]) => {
    const inner = childRules(rules, typeof key === "string" ? key : "*");
    return inner?.rule === "ignore" ? [] : [[key, kept(item, inner)] as const];
  });
}

/** Returns the added rows and the removed rows, without pairs of equal rows. */
export function apart(added: Rows, removed: Rows): readonly [Rows, Rows] {
  const left = new Map<string, number>();
  for (const row of removed) left.set(rowText(row), (left.get(rowText(row)) ?? 0) + 1);
  const take = (row: readonly unknown[]): boolean => {
    const count = left.get(rowText(row)) ?? 0;
    left.set(rowText(row), count - 1);
    return count > 0;
  };
  const more = added.filter((row) => !take(row));
  return [more, removed.filter(take)];
}

/** Returns a text that is equal for equal rows. */
export function rowText(row: readonly unknown[]): string {
  return JSON.stringify(row, (_key, value: unknown) => {
    if (Object.is(value, -0)) return "-0n";
    if (typeof value === "bigint") return `${value}n`;
    if (value instanceof Map) return [...value];
    if (value instanceof Set) return [...value];
    return value;
  });
}
