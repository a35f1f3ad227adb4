import type { Table } from "../schema/catalog.ts";

/**
 * Returns statements that set a search_path with which functions of the user find the same objects as in the user's own sessions. PostgreSQL calls
 * such functions for indexes, constraints and generated columns, and when it plans a query of their table. `pg_catalog` comes first, so that
 * operators and functions of the user cannot replace operators and functions of PostgreSQL with the same argument types.
 */
export function userPath(scope: "local" | "session"): string {
  return `set ${scope} search_path to default;
select pg_catalog.set_config('search_path', 'pg_catalog, ' || pg_catalog.current_setting('search_path'), ${scope === "local"})`;
}

/** {@link userPath} for a transaction. The search_path is valid until {@link OWN_PATH} or the end of the transaction. */
export const USER_PATH: string = userPath("local");

export const OWN_PATH: string = "set local search_path to pg_catalog";

/** Returns `true` if the text of rows depends on the search_path, because a column has a type such as `regclass`, whose values are names. */
export function showsNames({ types }: Pick<Table, "types">): boolean {
  return types.some((type) => /^reg[a-z]+$/.test(type));
}

/**
 * Calls `work` with a search_path with which functions of the user find the objects that they name. Keeps the current search_path for tables whose
 * text depends on the search_path (see {@link showsNames}). The connection must be in a transaction.
 */
export async function inUserPath<T>(run: (sql: string) => Promise<unknown>, table: Table, work: () => Promise<T>): Promise<T> {
  if (showsNames(table)) return work();
  await run(USER_PATH);
  const result = await work();
  // After an error, the rollback restores the setting.
  await run(OWN_PATH);
  return result;
}
