import { SeqqaError } from "../errors.ts";
import { nearest } from "../text/nearest.ts";
import { isBadFieldOfKind, readFieldOfKind } from "./field-of-kind.ts";
import type { StoreScope, TableSchema } from "./store-adapter.ts";

/** A pattern from the `ignore` of a store or of the World. */
export interface IgnorePattern {
  readonly pattern: string;
  /** The store that declares the pattern; `undefined` for the World. */
  readonly system: string | undefined;
}

/** The patterns of `ignore`, matched against the tables and columns of the current stores. */
export interface Ignored {
  /**
   * The ignored columns as `system.table.column`. Columns that are ignored only in rows of one kind are `system.table.column where {...}`. Patterns
   * for paths and context keys are kept as the user wrote them.
   */
  readonly fields: readonly string[];
  /** The tables that do not belong to the state, by store. */
  readonly tables: ReadonlyMap<string, ReadonlySet<string>>;
  /** Patterns of the World that can only name a context key or a path, and fields of rows of one kind. */
  readonly paths: readonly string[];
}

/** Returns the patterns that may name a table of a store: the store's own patterns, and the World's. */
export function ignorePatterns(own: readonly string[], { name, ignore = [] }: Pick<StoreScope, "name" | "ignore">): IgnorePattern[] {
  return [...own.map((pattern) => ({ pattern, system: name })), ...ignore.map((pattern) => ({ pattern, system: undefined }))];
}

/** The tables of each store, by the name of the store. */
export type Schemas = ReadonlyMap<string, readonly TableSchema[]>;

/** Matches paths into the context, a client, or a store without tables. */
const PATH = /^(?:context|clients)\.|^systems\./;

/** Returns a function that tests names against a table or column pattern. `*` matches any characters. */
function matcher(pattern: string): (name: string) => boolean {
  if (!pattern.includes("*")) return (name) => name === pattern;
  const parts = pattern.split("*").map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const expression = new RegExp(`^${parts.join(".*")}$`, "s");
  return (name) => expression.test(name);
}

/** Returns the tables of a store that match a pattern such as `events`, `audit_*`, or (in a World) `db.events`. */
export function ignoredTables(
  patterns: readonly IgnorePattern[],
  system: string,
  tables: readonly Pick<TableSchema, "name">[],
): Set<string> {
  const ignored = new Set<string>();
  for (const { pattern, system: of } of patterns) {
    if (of !== undefined && of !== system) continue;
    const matches = matcher(pattern.replace(/^systems\./, ""));
    for (const { name } of tables) if (matches(name) || (of === undefined && matches(`${system}.${name}`))) ignored.add(name);
  }
  return ignored;
}

/** Returns, by table, the columns of a store that match a pattern such as `orders.seen_at`, `*.updated_at`, or (in a World) `db.orders.seen_at`. */
export function ignoredColumns(
  patterns: readonly IgnorePattern[],
  system: string,
  tables: readonly TableSchema[],
): Map<string, ReadonlySet<string>> {
  const ignored = new Map<string, Set<string>>();
  for (const { pattern, system: of } of patterns) {
    if (of !== undefined && of !== system) continue;
    const text = pattern.replace(/^systems\./, "");
    if (!text.includes(".")) continue;
    const matches = matcher(text);
    for (const { name, columns } of tables) {
      for (const column of columns) {
        const field = `${name}.${column}`;
        if (!matches(field) && (of !== undefined || !matches(`${system}.${field}`))) continue;
        const named = ignored.get(name);
        if (named === undefined) ignored.set(name, new Set([column]));
        else named.add(column);
      }
    }
  }
  return ignored;
}

/**
 * Finds the tables, columns and paths that the patterns of `ignore` name. `schemas` contains the stores that can list their tables. `isWhole`: `true`
 * if these are all stores, so that a table that is not in `schemas` does not exist. `isStrict`: `true` if an unknown name is an error.
 *
 * @throws SeqqaError `IGNORE_UNKNOWN` with exit status 2 for an unknown table or column, and for a field of rows of one kind that cannot be read
 */
export function resolveIgnored(
  patterns: readonly IgnorePattern[],
  schemas: Schemas,
  { isWhole, isStrict }: { readonly isWhole: boolean; readonly isStrict: boolean },
): Ignored {
  const tables = new Map<string, ReadonlySet<string>>();
  for (const [system, schema] of schemas) tables.set(system, ignoredTables(patterns, system, schema));
  const fields: string[] = [];
  const paths: string[] = [];
  for (const one of patterns) {
    const columns = columnsOf(one, schemas);
    fields.push(...columns);
    const ofKind = fieldOfKindIn(one);
    if (ofKind !== undefined) fields.push(ofKind);
    else if (one.system === undefined) fields.push(one.pattern);
    const isTable = [...schemas].some(([system, schema]) => ignoredTables([one], system, schema).size > 0);
    if (columns.length > 0 || isTable) continue;
    // A pattern that can name a table is kept as a path only if all stores listed their tables. Otherwise, a store without a list may have that
    // table.
    if (ofKind !== undefined) paths.push(ofKind);
    else if (one.system === undefined && (isWhole || !isOfTable(one.pattern))) paths.push(one.pattern);
    if (!isStrict) continue;
    if (one.system !== undefined ? schemas.has(one.system) : isWhole && schemas.size > 0 && isOfTable(one.pattern)) {
      throw unknown(one, schemas);
    }
  }
  return { fields, tables, paths };
}

/**
 * Returns a function that tests whether a counter belongs only to left-out tables: all tables that own or use the counter are left out. A counter
 * without such tables belongs to the table in its name, see {@link TableSchema.usesCounters}.
 */
export function counterLeftOut(schema: readonly TableSchema[], leftOut: ReadonlySet<string>): (counter: string) => boolean {
  const users = new Map<string, string[]>();
  for (const { name, usesCounters = [] } of schema)
    for (const counter of usesCounters) users.set(counter, [...(users.get(counter) ?? []), name]);
  const isIn = (counter: string, table: string): boolean =>
    counter === table || (counter.startsWith(`${table}_`) && counter.endsWith("_seq"));
  // The longest name is the table of the counter: `order_items_id_seq` belongs to `order_items`, and not to `order`.
  const tables = schema.map(({ name }) => name).toSorted((a, b) => b.length - a.length);
  return (counter) => {
    const own = users.get(counter) ?? tables.filter((table) => isIn(counter, table)).slice(0, 1);
    return own.length > 0 && own.every((table) => leftOut.has(table));
  };
}

/** Returns the field of rows of one kind that a pattern names, with the name of the store if the pattern belongs to a store. */
function fieldOfKindIn({ pattern, system }: IgnorePattern): string | undefined {
  if (isBadFieldOfKind(pattern)) {
    throw new SeqqaError("IGNORE_UNKNOWN", `The pattern "${pattern}" in \`ignore\` has no JSON object with patterns after "where".`, {
      exitStatus: 2,
      hint: 'Copy the whole name of the field from the message in which seqqa shows it, for example: hash.value where {"key":"order:*"}',
    });
  }
  if (readFieldOfKind(pattern) === undefined) return undefined;
  return system === undefined ? pattern.replace(/^systems\./, "") : `${system}.${pattern}`;
}

/** Returns `true` if a pattern can only name a table or column. A pattern without a dot or `*` may be a context key, which need not exist yet. */
function isOfTable(pattern: string): boolean {
  return pattern.includes("*") || (pattern.includes(".") && !PATH.test(pattern));
}

function columnsOf(pattern: IgnorePattern, schemas: Schemas): string[] {
  return [...schemas].flatMap(([system, schema]) =>
    [...ignoredColumns([pattern], system, schema)].flatMap(([table, columns]) =>
      [...columns].map((column) => `${system}.${table}.${column}`),
    ),
  );
}

function unknown({ pattern, system }: IgnorePattern, schemas: Schemas): SeqqaError {
  const wanted = system === undefined ? schemas : new Map([[system, schemas.get(system) ?? []]]);
  const tables = [...wanted.values()].flat();
  const names = pattern.includes(".")
    ? tables.flatMap(({ name, columns }) => columns.map((column) => `${name}.${column}`))
    : tables.map(({ name }) => name);
  const near = nearest(pattern, names);
  const where = system === undefined ? "the stores" : `store "${system}"`;
  return new SeqqaError("IGNORE_UNKNOWN", `The pattern "${pattern}" in \`ignore\` matches no table or column of ${where}.`, {
    exitStatus: 2,
    hint:
      near === undefined
        ? `The tables of ${where} are ${tables
            .map(({ name }) => name)
            .slice(0, 20)
            .join(", ")}.`
        : `Did you mean "${near}"?`,
  });
}
