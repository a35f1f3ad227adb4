import type { StoreSettings } from "../../adapters/store-kinds.ts";
/** The data from which a worker builds its lane: plain data, made on the main thread by the target host. */
export interface LaneSpec {
  readonly index: number;
  /** Grows each time that the lane is provisioned again. */
  readonly generation: number;
  /** Address of the lane's target, without a trailing slash; empty when there is no HTTP target (or it is not made from `targetModule` yet). */
  readonly baseUrl: string;
  readonly dbUrl: string | undefined;
  readonly dbPath: string | undefined;
  readonly tmpDir: string;
  /** The configured systems of this lane, with the lane's own URLs. */
  readonly systems: readonly SystemSpec[];
  /** File URL of the bundled `target.module`, to be imported in the lane's own thread; `createTarget(lane)` is called there. */
  readonly targetModule: string | undefined;
  /** `true` if the stores are external stores: the run leaves nothing in them. */
  readonly borrowed: boolean;
  /** `true` if the lane is built for the first time. Default: `false`. */
  readonly isFirst?: boolean | undefined;
  /** `true` if seqqa starts the target's process, so that it can be restarted. */
  readonly restartable: boolean;
  /** `true` with `target.rollback: restart`: the target is restarted before each branch. */
  readonly restarts?: boolean | undefined;
  /** `true` if the lane was lost and this standby lane replaces it. */
  readonly standby?: boolean | undefined;
  /** Further copies of the lane, with stores, ports and numbers of their own: while one executes, the processes of the others start. */
  readonly spares?: readonly LaneSpec[] | undefined;
}

export interface SystemSpec extends StoreSettings {
  /** `true`: the store is the configured one, not a copy for the lane, so that nothing may be left in it. Default: `false`. */
  readonly isUsedWhereItIs?: boolean | undefined;
}
