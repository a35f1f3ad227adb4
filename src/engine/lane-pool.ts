import type {
  Calibration,
  CalibrationWalk,
  Chunk,
  Expansion,
  LaneReport,
  PathEnd,
  Recording,
  UnitRequest,
} from "../messages/lane-messages.ts";
import type { FaultAnswer, FaultRequest } from "../messages/fault-messages.ts";
import type { RaceAnswer, RaceRequest } from "../messages/race-messages.ts";
import type { VisitedSet } from "./graph/visited-set.ts";
import type { Knowledge } from "../state/index.ts";

/** The number of lanes that execute the search, and how these lanes are managed. */
export interface LaneCapacity {
  /** Largest number of lanes that take chunks at the same time. */
  readonly most: number;
  /** Number of lanes that take chunks at the moment. */
  readonly open: number;
  /**
   * Time in milliseconds for which a chunk should keep a lane busy. Compared with this time, the time for sending the chunk must be short.
   * `undefined`: the scheduler's default.
   */
  readonly chunkMs: number | undefined;
  /**
   * `false` if the pool's own lanes execute the search. `true` if lanes of other processes execute the search, and the pool's own lanes do all other
   * work. Lanes of other processes join and leave at any time, rebuild themselves, and end their hanging requests themselves.
   */
  readonly isElastic: boolean;
}

export const fixedCapacity = (lanes: number): LaneCapacity => ({ most: lanes, open: lanes, chunkMs: undefined, isElastic: false });

/**
 * How the rebuild of a lane uses standby lanes. `use`: a standby lane replaces the lane if there is one, and then the next standby lane is built.
 * `build`: like `use`, but the first standby lane is built if there is none yet.
 */
export type StandbyUse = "use" | "build";

/** Gives the engine access to lanes in this thread, in worker threads, or in other processes. */
export interface LanePool {
  readonly lanes: number;
  /** Largest number of chunks that a lane may hold at once. */
  readonly depth: number;
  /** The lanes that execute the search, whose number may change during the run. */
  readonly capacity: LaneCapacity;
  /**
   * The error because of which a target in this process still has the data that an earlier target left in memory; see {@link LaneReport.keptMemory}.
   * Absent if no target has such data.
   */
  readonly keptMemory?: string | undefined;
  start(): Promise<readonly LaneReport[]>;
  /** Executes an experiment on every lane. Returns the differences between executions that the first lane found. */
  calibrate(walk?: CalibrationWalk): Promise<Calibration>;
  /**
   * Gives all lanes more knowledge about which values are generated, and brings them to the root state. `fresh`: rebuilds each lane with a new
   * process of its target.
   */
  learn(knowledge: Knowledge, fresh?: "fresh"): Promise<readonly LaneReport[]>;
  /** Gives lanes access to the set of committed states. Lanes then leave out the snapshots of these states. */
  share(visited: VisitedSet): void;
  /** Executes a chunk on a lane. Does not reject if the lane is lost: in this case, the result's `failure` contains the reason. */
  expand(lane: number, chunk: Chunk): Promise<Expansion>;
  /** Replaces a lost lane by a new lane. @throws SeqqaError if no lane can be built */
  rebuild(lane: number, standby?: StandbyUse): Promise<LaneReport>;
  /** Replays a path from the root state on a lane that has no other work. */
  record(lane: number, path: readonly number[], draws?: UnitRequest["draws"]): Promise<Recording>;
  /**
   * Executes a path and describes the state at its end, on a lane that has no other work. Continues from a checkpoint if the previous path began with
   * the same steps.
   */
  probe(lane: number, path: readonly number[], draws?: UnitRequest["draws"]): Promise<PathEnd>;
  /**
   * Sends calls simultaneously in the state at the end of a path, to find a race, on a lane that has no other work. Never rejects because of the
   * calls.
   */
  race(lane: number, request: RaceRequest): Promise<RaceAnswer>;
  /**
   * Executes a call repeatedly and makes a different write of the call fail each time, on a lane that has no other work. Never rejects because of the
   * call.
   */
  fault(lane: number, request: FaultRequest): Promise<FaultAnswer>;
  /**
   * Ends the requests of a lane as if they had timed out. If the lane continues, ends the lane itself. Absent if lanes end their requests themselves.
   */
  cut?(lane: number): void;
  /** Tells every lane to stop before its next action. */
  cancel(): void;
  /** Closes all lanes. A second call does nothing. @throws SeqqaError if the data of an external store could not be restored */
  close(): Promise<void>;
}
