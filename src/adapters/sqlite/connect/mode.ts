import type { Database } from "better-sqlite3";
import type { Awaitable, StoreAdapter, WriteFaults } from "../../../model/stores/store-adapter.ts";

/** A checkpoint mode for one SQLite file. The adapter chooses the mode when the file is opened. */
export interface SqliteMode extends Required<
  Pick<StoreAdapter, "traits" | "root" | "mark" | "changed" | "restore" | "observe" | "capture" | "write">
> {
  position?(): ReturnType<StoreAdapter["mark"]>;
  captureWhole?(): Awaitable<unknown>;
  readonly keptCounters?: StoreAdapter["keptCounters"];
  /** The id of the journal that the mode installed in the file. `undefined` if the mode installs no journal. */
  readonly token?: string | undefined;
  /** Makes writes of the target fail. `undefined` if the mode does not support this or the run tests no faults. */
  readonly faults?: WriteFaults | undefined;
  readonly db: Database;
  /** Closes the mode. If `leaveNothing` is `true`, also removes seqqa's tables and triggers from the file. */
  close(leaveNothing: boolean): Awaitable<void>;
}
