import type { Database } from "better-sqlite3";
import type { Awaitable, StoreAdapter, WriteFaults } from "../../../model/stores/store-adapter.ts";

/** A way to save and restore a file. The adapter chooses one when it is opened. */
export interface SqliteMode extends Required<
  Pick<StoreAdapter, "traits" | "root" | "mark" | "changed" | "restore" | "observe" | "capture" | "write">
> {
  position?(): ReturnType<StoreAdapter["mark"]>;
  /** The id of the installation in the file, if the mode installs something. */
  readonly token?: string | undefined;
  /** Makes writes fail, if the mode supports it and the run tests faults. */
  readonly faults?: WriteFaults | undefined;
  readonly db: Database;
  /** Ends the mode. With `leaveNothing`, also removes everything that the mode installed in the file. */
  close(leaveNothing: boolean): Awaitable<void>;
}
