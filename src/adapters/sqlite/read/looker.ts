import type { Database, Statement } from "better-sqlite3";
import { SeqqaError } from "../../../model/errors.ts";

export type QueryRow = Readonly<Record<string, unknown>>;
/** The values for the placeholders of a query: an array for `?`, an object for `:name`. */
export type QueryParameters = readonly unknown[] | Readonly<Record<string, unknown>>;

const READS = /^\s*(?:select|with|values|explain)\b/i;

/** Executes the read-only queries of the user's checks. Prepared statements are cached, because checks run the same queries after every step. */
export class Looker {
  readonly #db: Database;
  readonly #statements = new Map<string, Statement<unknown[], QueryRow>>();

  constructor(db: Database) {
    this.#db = db;
  }

  /** Executes a query and returns all rows. @throws SeqqaError `QUERY_WRITES` if the statement does more than read */
  all(sql: string, parameters: QueryParameters = []): QueryRow[] {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#db.prepare<unknown[], QueryRow>(sql);
      if (!statement.reader || !statement.readonly || !READS.test(sql.replace(/^(?:\s+|--[^\n]*\n|\/\*[\s\S]*?\*\/)+/, ""))) {
        throw new SeqqaError("QUERY_WRITES", `SqliteAdapter.query() refused a statement that may write: ${sql.trim().slice(0, 100)}`, {
          hint: "Use a SELECT in query(). To change data, call the target in an action.",
        });
      }
      this.#statements.set(sql, statement);
    }
    return Array.isArray(parameters) ? statement.all(...(parameters as unknown[])) : statement.all(parameters);
  }
}
