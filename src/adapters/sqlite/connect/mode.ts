import type { Database } from "better-sqlite3";
import type { Awaitable, System } from "../../../model/stores/store-adapter.ts";

/** One way of putting a file back; the adapter chooses one when it is opened. */
export interface SqliteMode extends Required<
  Pick<System, "traits" | "root" | "mark" | "changed" | "restore" | "observe" | "capture" | "write">
> {
  position?(): ReturnType<System["mark"]>;
  /** Names what it installed in the file, if it did. */
  readonly token?: string | undefined;
  /** For looking in and dumping. */
  readonly db: Database;
  /** Ends the mode; with `leaveNothing` everything that it installed is removed from the store. */
  close(leaveNothing: boolean): Awaitable<void>;
}
