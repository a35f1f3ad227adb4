import type { Database } from "better-sqlite3";
import type { Awaitable, StoreAdapter } from "../../../model/stores/store-adapter.ts";

/** One way of putting a file back; the adapter chooses one when it is opened. */
export interface SqliteMode extends Required<
  Pick<StoreAdapter, "traits" | "root" | "mark" | "changed" | "restore" | "observe" | "capture" | "write">
> {
  position?(): ReturnType<StoreAdapter["mark"]>;
  /** Names what it installed in the file, if it did. */
  readonly token?: string | undefined;
  /** For looking in and dumping. */
  readonly db: Database;
  /** Ends the mode; with `leaveNothing` everything that it installed is removed from the store. */
  close(leaveNothing: boolean): Awaitable<void>;
}
