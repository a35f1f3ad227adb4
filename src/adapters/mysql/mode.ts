import type { Awaitable, System } from "../../model/system.ts";

/** What a look into the store returns: column -> value. */
export type QueryRow = Readonly<Record<string, unknown>>;

/** One way of putting a database back; the adapter chooses one when it is opened. */
export interface MysqlMode extends Required<
  Pick<System, "traits" | "root" | "mark" | "changed" | "restore" | "observe" | "capture" | "write">
> {
  position?(): ReturnType<System["mark"]>;
  /** Rows of one statement that reads. */
  query(sql: string, values: readonly unknown[]): Promise<QueryRow[]>;
  dump(): Promise<string>;
  /** Ends the mode and its connections; with `leaveNothing` everything that it installed is removed, and the data put back to what `open` found. */
  close(leaveNothing: boolean): Awaitable<void>;
}
