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

/** The lanes that expand nodes. */
export interface LaneCapacity {
  /** The largest number of lanes that take chunks at once. */
  readonly most: number;
  /** The number of lanes that take chunks now. */
  readonly open: number;
  /** Milliseconds for which a chunk should keep a lane busy, so that the time for sending it does not matter. `undefined`: the scheduler's default. */
  readonly chunkMs: number | undefined;
  /**
   * `false`: the pool's own lanes expand nodes. `true`: other lanes do, which come and go, rebuild themselves, and end their requests themselves; the
   * pool's own lanes are free for all other work.
   */
  readonly isElastic: boolean;
}

/** Returns the capacity of a pool whose own lanes expand nodes. */
export const fixedCapacity = (lanes: number): LaneCapacity => ({ most: lanes, open: lanes, chunkMs: undefined, isElastic: false });

/**
 * `use`: the standby lane, if there is one, replaces the lane, and the next standby lane is built. `build`: the same, and the first standby lane is
 * built if there is none.
 */
export type StandbyUse = "use" | "build";

/** Reaches lanes for the engine, wherever they run. */
export interface LanePool {
  readonly lanes: number;
  /** Chunks that a lane may hold at once. */
  readonly depth: number;
  /** The lanes that expand nodes. Its numbers may change during the run. */
  readonly capacity: LaneCapacity;
  /** Brings all lanes up to the root state. */
  start(): Promise<readonly LaneReport[]>;
  /** Repeats a walk on every lane, and returns the differences found on the first lane. */
  calibrate(walk?: CalibrationWalk): Promise<Calibration>;
  /**
   * Brings all lanes to the root state, with new knowledge of the target's values. `fresh`: each lane is rebuilt, with a new process of the target if
   * there is one.
   */
  learn(knowledge: Knowledge, fresh?: "fresh"): Promise<readonly LaneReport[]>;
  /** Lets lanes look up which states are committed. */
  share(visited: VisitedSet): void;
  /** Expands a chunk. Errors of the chunk never reject; a lost lane is reported in `failure`. */
  expand(lane: number, chunk: Chunk): Promise<Expansion>;
  /** Replaces a lane by a fresh one. @throws SeqqaError if that is not possible. */
  rebuild(lane: number, standby?: StandbyUse): Promise<LaneReport>;
  /** Replays a path from the root on a lane that has no other work. */
  record(lane: number, path: readonly number[], draws?: UnitRequest["draws"]): Promise<Recording>;
  /** Tries where a path leads, on a lane that has no other work. Starts from a checkpoint of an earlier try on the same path if there is one. */
  probe(lane: number, path: readonly number[], draws?: UnitRequest["draws"]): Promise<PathEnd>;
  /** Makes calls at the same time in the state that a path leads to, on a lane that has no other work. Errors of the calls never reject. */
  race(lane: number, request: RaceRequest): Promise<RaceAnswer>;
  /** Makes the writes of one call fail, one at a time, on a lane that has no other work. Errors of the call never reject. */
  fault(lane: number, request: FaultRequest): Promise<FaultAnswer>;
  /** Ends a lane's requests in progress as if they timed out, and ends a lane that does not stop then. Absent: lanes end their requests themselves. */
  cut?(lane: number): void;
  /** Asks every lane to stop at the next action. */
  cancel(): void;
  /** Ends all lanes; a second call does nothing. @throws SeqqaError if data of the user's could not be restored. */
  close(): Promise<void>;
}
