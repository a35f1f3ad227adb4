import type { Database } from "better-sqlite3";
import type { Awaitable, StoreAdapter, WriteFaults } from "../../../model/stores/store-adapter.ts";

/** One way of restoring a file; the adapter chooses one when it is opened. */
export interface SqliteMode extends Required<
  Pick<StoreAdapter, "traits" | "root" | "mark" | "changed" | "restore" | "observe" | "capture" | "write">
> {
  position?(): ReturnType<StoreAdapter["mark"]>;
  /** Names the installation in the file, if there is one. */
  readonly token?: string | undefined;
  /** Makes writes fail, where the mode can do that and was asked to. */
  readonly faults?: WriteFaults | undefined;
  /** The connection for queries and dumps. */
  readonly db: Database;
  /** Ends the mode; with `leaveNothing`, removes everything that it installed from the store. */
  close(leaveNothing: boolean): Awaitable<void>;
}
