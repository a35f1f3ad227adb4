import type { StoreSettings } from "../../adapters/store-kinds.ts";
/** Describes a lane, so that a thread can build it. It is plain data, which the main thread creates. */
export interface LaneSpec {
  readonly index: number;
  /** Grows each time the lane is rebuilt. It distinguishes the current target and stores of the lane from earlier ones. */
  readonly generation: number;
  /** The URL of the lane's target, without a trailing slash. Empty if there is no HTTP target, or if `targetModule` has not created it yet. */
  readonly baseUrl: string;
  readonly dbUrl: string | undefined;
  readonly dbPath: string | undefined;
  readonly tmpDir: string;
  readonly systems: readonly SystemSpec[];
  /** The file URL of the bundled `target.module`. The lane imports the module in its own thread and calls its function `createTarget(lane)`. */
  readonly targetModule: string | undefined;
  /** `true` if the lane uses the user's own stores in place, in which the run must leave no changes. */
  readonly borrowed: boolean;
  /** `true` when the lane is built for the first time. Default: `false`. */
  readonly isFirst?: boolean | undefined;
  /** `true` if seqqa starts the target's process, so that seqqa can restart it. */
  readonly restartable: boolean;
  /** `true` if `target.rollback` is `restart`: the target's process is restarted when a state has to be restored. */
  readonly restarts?: boolean | undefined;
  /** `true` if the lane was a standby lane before it replaced a lost lane. */
  readonly standby?: boolean | undefined;
  /** The standby copies of the lane, each with its own stores and port. The processes of some copies start while another copy executes actions. */
  readonly spares?: readonly LaneSpec[] | undefined;
}

export interface SystemSpec extends StoreSettings {
  /** `true` if the lane uses the configured store itself instead of a copy, so that the run must leave no changes in it. Default: `false`. */
  readonly isUsedWhereItIs?: boolean | undefined;
}
