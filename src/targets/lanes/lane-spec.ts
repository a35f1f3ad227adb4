/** What a worker needs to know to build its lane: plain data, made on the main thread by the target host. */
export interface LaneSpec {
  readonly index: number;
  /** Grows each time that the lane is provisioned anew. */
  readonly generation: number;
  /** Where the lane's target answers, without a trailing slash; empty when there is no HTTP target (or it is still to be made from `targetModule`). */
  readonly baseUrl: string;
  readonly dbUrl: string | undefined;
  readonly dbPath: string | undefined;
  readonly tmpDir: string;
  /** The configured systems of this lane, with the lane's own URLs. */
  readonly systems: readonly SystemSpec[];
  /** File URL of the bundled `target.module`, to be imported in the lane's own thread; `createTarget(lane)` is called there. */
  readonly targetModule: string | undefined;
  /** The stores are the user's own: nothing may be left in them. */
  readonly borrowed: boolean;
  /** The lane is built for the first time. Default: no. */
  readonly isFirst?: boolean | undefined;
  /** The target is a process of ours, so that it can be started anew. */
  readonly restartable: boolean;
  /** `target.rollback: restart`: the target is started anew before each branch. */
  readonly restarts?: boolean | undefined;
  /** The lane was lost, and this was its standby lane. */
  readonly standby?: boolean | undefined;
  /** Further copies of the lane, with stores, ports and numbers of their own: while one executes, the processes of the others start. */
  readonly spares?: readonly LaneSpec[] | undefined;
}

export interface SystemSpec {
  readonly name: string;
  readonly kind: "sqlite" | "postgres" | "mysql" | "redis";
  readonly url: string;
  readonly checkpoint: string | undefined;
  readonly isolation: string | undefined;
  readonly tables: readonly string[] | undefined;
  readonly ignore: readonly string[] | undefined;
  readonly symmetric: readonly string[] | undefined;
}
