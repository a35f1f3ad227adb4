import type { StoreSettings } from "../../adapters/store-kinds.ts";
/** The description from which a thread builds its lane. It is plain data that the target host creates on the main thread. */
export interface LaneSpec {
  readonly index: number;
  /** Incremented each time the lane is provisioned again. */
  readonly generation: number;
  /** The URL of the lane's target, without a trailing slash. Empty without an HTTP target, or before `targetModule` has created it. */
  readonly baseUrl: string;
  readonly dbUrl: string | undefined;
  readonly dbPath: string | undefined;
  readonly tmpDir: string;
  readonly systems: readonly SystemSpec[];
  /** File URL of the bundled `target.module`. The lane imports it in its own thread and calls `createTarget(lane)`. */
  readonly targetModule: string | undefined;
  /** `true` if the stores are external stores, in which the run must leave no changes. */
  readonly borrowed: boolean;
  /** `true` the first time that the lane is built. Default: `false`. */
  readonly isFirst?: boolean | undefined;
  /** `true` if seqqa starts the target's process, so that seqqa can restart it. */
  readonly restartable: boolean;
  /** `true` with `target.rollback: restart`: the process is restarted when its state has to be restored. */
  readonly restarts?: boolean | undefined;
  /** `true` if this was a standby lane that replaced a lost lane. */
  readonly standby?: boolean | undefined;
  /** Standby copies of the lane, each with its own stores and port. While one copy executes, the processes of the others start. */
  readonly spares?: readonly LaneSpec[] | undefined;
}

export interface SystemSpec extends StoreSettings {
  /** `true` if the lane uses the configured store itself instead of a copy. The run must leave no changes in it. Default: `false`. */
  readonly isUsedWhereItIs?: boolean | undefined;
}
