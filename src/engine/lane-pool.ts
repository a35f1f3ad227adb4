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

/** The number of lanes that expand nodes, and their kind. */
export interface LaneCapacity {
  /** Largest number of lanes that take chunks at the same time. */
  readonly most: number;
  /** Number of lanes that take chunks now. */
  readonly open: number;
  /**
   * Milliseconds for which a chunk should keep a lane busy, so that the time for sending the chunk does not matter. `undefined`: the scheduler's
   * default.
   */
  readonly chunkMs: number | undefined;
  /**
   * `false`: the pool's own lanes expand nodes. `true`: other lanes expand nodes, and the pool's own lanes are free for all other work. Such other
   * lanes come and go, rebuild themselves, and end their requests themselves.
   */
  readonly isElastic: boolean;
}

export const fixedCapacity = (lanes: number): LaneCapacity => ({ most: lanes, open: lanes, chunkMs: undefined, isElastic: false });

/**
 * How a rebuild uses standby lanes. `use`: the standby lane, if there is one, replaces the lane, and the next standby lane is built. `build`: the
 * same, but the first standby lane is built if there is none.
 */
export type StandbyUse = "use" | "build";

/** Gives the engine access to lanes, wherever they run. */
export interface LanePool {
  readonly lanes: number;
  /** Number of chunks that a lane may hold at once. */
  readonly depth: number;
  /** The lanes that expand nodes. The numbers may change during the run. */
  readonly capacity: LaneCapacity;
  start(): Promise<readonly LaneReport[]>;
  /** Makes an experiment on every lane, and returns the differences found on the first lane. */
  calibrate(walk?: CalibrationWalk): Promise<Calibration>;
  /**
   * Brings all lanes to the root state, with new knowledge of the target's values. `fresh`: rebuilds each lane, and starts a new process for its
   * target.
   */
  learn(knowledge: Knowledge, fresh?: "fresh"): Promise<readonly LaneReport[]>;
  /** Lets lanes look up which states are committed. */
  share(visited: VisitedSet): void;
  /** Expands a chunk. Never rejects because of the chunk: a lost lane is reported in `failure`. */
  expand(lane: number, chunk: Chunk): Promise<Expansion>;
  /** Replaces a lane by a fresh one. @throws SeqqaError if that is not possible */
  rebuild(lane: number, standby?: StandbyUse): Promise<LaneReport>;
  /** Replays a path from the root state on a lane that has no other work. */
  record(lane: number, path: readonly number[], draws?: UnitRequest["draws"]): Promise<Recording>;
  /** Executes a path and returns its end, on a lane that has no other work. Starts at a checkpoint of the previous path if possible. */
  probe(lane: number, path: readonly number[], draws?: UnitRequest["draws"]): Promise<PathEnd>;
  /** Races calls in the state at the end of a path, on a lane that has no other work. Never rejects because of the calls. */
  race(lane: number, request: RaceRequest): Promise<RaceAnswer>;
  /** Makes the writes of one call fail, one at a time, on a lane that has no other work. Never rejects because of the call. */
  fault(lane: number, request: FaultRequest): Promise<FaultAnswer>;
  /**
   * Ends a lane's requests in progress as if they had timed out, and ends a lane that still does not stop. Absent if lanes end their requests
   * themselves.
   */
  cut?(lane: number): void;
  /** Asks every lane to stop at the next action. */
  cancel(): void;
  /** Ends all lanes. A second call does nothing. @throws SeqqaError if the user's own data could not be restored */
  close(): Promise<void>;
}
