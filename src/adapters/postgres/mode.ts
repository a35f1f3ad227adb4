import type { Awaitable, System } from "../../model/system.ts";

/** What a look into the store returns: column -> value. */
export type QueryRow = Readonly<Record<string, unknown>>;

/** What a mode needs of a connection: `pg.Client` has it. */
export interface Queryable {
  query(config: {
    readonly text: string;
    readonly values?: readonly unknown[] | undefined;
    readonly name?: string | undefined;
    readonly rowMode?: "array" | undefined;
  }): Promise<{ readonly rows: readonly unknown[] }>;
}

/** One way of putting a database back; the adapter chooses one when it is opened. */
export interface PostgresMode extends Required<
  Pick<System, "traits" | "root" | "mark" | "changed" | "restore" | "observe" | "capture" | "write">
> {
  position?(): ReturnType<System["mark"]>;
  /**
   * Rows of one statement, which runs where writing is impossible (a read-only transaction or savepoint); the adapter has seen to it that
   * it begins like a reading one. Parsed by `parseForUsers` of `types.ts`.
   */
  query(sql: string, values: readonly unknown[]): Promise<QueryRow[]>;
  dump(): Promise<string>;
  /** Ends the mode and its connections; with `leaveNothing` everything that it installed is removed, and the data put back to what `open` found. */
  close(leaveNothing: boolean): Awaitable<void>;
}
