import type { Table } from "../schema/catalog.ts";

/**
 * Returns statements that make functions of the user find what they name, as they do in the user's own sessions. PostgreSQL calls such functions for
 * indexes, constraints and generated columns, and when it plans a query of their table. `pg_catalog` comes first, so that the user's operators and
 * functions cannot replace those that have the same argument types.
 */
export function userPath(scope: "local" | "session"): string {
  return `set ${scope} search_path to default;
select pg_catalog.set_config('search_path', 'pg_catalog, ' || pg_catalog.current_setting('search_path'), ${scope === "local"})`;
}

/** {@link userPath} for a transaction, until {@link OWN_PATH} or its end. */
export const USER_PATH: string = userPath("local");

export const OWN_PATH: string = "set local search_path to pg_catalog";

/** Returns `true` if the text of rows depends on the search_path, because a column has a type such as `regclass`, whose values are names. */
export function showsNames({ types }: Pick<Table, "types">): boolean {
  return types.some((type) => /^reg[a-z]+$/.test(type));
}

/** Does something with the rows of a table while functions of the user find what they name. The connection must be in a transaction. */
export async function inUserPath<T>(run: (sql: string) => Promise<unknown>, table: Table, work: () => Promise<T>): Promise<T> {
  if (showsNames(table)) return work();
  await run(USER_PATH);
  const result = await work();
  // After an error, the rollback restores the setting.
  await run(OWN_PATH);
  return result;
}
