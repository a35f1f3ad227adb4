import type { StoreSettings } from "../../adapters/store-kinds.ts";
/** The description of a lane from which a thread can build the lane. The main thread creates this description, which is plain data. */
export interface LaneSpec {
  readonly index: number;
  /**
   * A number that grows each time the lane is rebuilt. The number distinguishes the current target and stores of the lane from earlier targets and
   * stores.
   */
  readonly generation: number;
  /**
   * The URL of the lane's target, without a trailing slash. Empty if there is no HTTP target, or if `targetModule` has not created the target yet.
   */
  readonly baseUrl: string;
  readonly dbUrl: string | undefined;
  readonly dbPath: string | undefined;
  readonly tmpDir: string;
  readonly systems: readonly SystemSpec[];
  /**
   * The file URL of the bundled `target.module`; `undefined` without such a module. The lane imports the module in its own thread and calls its
   * function `createTarget(lane)`.
   */
  readonly targetModule: string | undefined;
  /** `true` if the lane uses the user's own stores in place, in which the run must leave no changes. */
  readonly borrowed: boolean;
  /** `true` when the lane is built for the first time. Default: `false`. */
  readonly isFirst?: boolean | undefined;
  /** `true` if seqqa starts the target's process, so that seqqa can restart it. */
  readonly restartable: boolean;
  /** `true` if `target.rollback` is `restart`, so that seqqa restarts the target's process to restore a state. */
  readonly restarts?: boolean | undefined;
  /** `true` if the lane was a standby lane before it replaced a lost lane. */
  readonly standby?: boolean | undefined;
  /**
   * The standby copies of the lane, each with its own stores and port. While one copy executes actions, the processes of other copies are started.
   */
  readonly spares?: readonly LaneSpec[] | undefined;
}

export interface SystemSpec extends StoreSettings {
  /** `true` if the lane uses the configured store itself instead of a copy. The run must then leave no changes in the store. Default: `false`. */
  readonly isUsedWhereItIs?: boolean | undefined;
}
