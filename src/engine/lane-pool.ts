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
import type { RaceAnswer, RaceRequest } from "../messages/race-messages.ts";
import type { VisitedSet } from "./graph/visited-set.ts";
import type { Knowledge } from "../state/index.ts";

/** Lanes on other machines. Their number changes, and they only expand nodes. */
export interface RemoteLanes {
  /** The largest number of lanes that are used at once. */
  readonly most: number;
  /** The current number of lanes. */
  readonly open: number;
  /** Milliseconds for which a chunk should keep a lane busy: long enough that the time for sending it does not matter. */
  readonly chunkMs: number;
}

/**
 * `use`: the standby lane, if there is one, replaces the lane, and the next standby lane is built. `build`: the same, and the first standby lane is
 * built if there is none.
 */
export type StandbyUse = "use" | "build";

/** Reaches lanes for the engine: in this thread, in worker threads, or on other machines. */
export interface LanePool {
  readonly lanes: number;
  /** Chunks that a lane may hold at once. */
  readonly depth: number;
  /** The lanes that expand nodes, if they are on other machines. They rebuild themselves. The lanes of this pool do all other work. */
  readonly remote?: RemoteLanes | undefined;
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
  /**
   * Ends a lane's requests in progress as if they timed out, and ends a lane that does not stop then. Lanes on other machines end their requests
   * themselves.
   */
  cut?(lane: number): void;
  /** Asks every lane to stop at the next action. */
  cancel(): void;
  /** Ends all lanes; a second call does nothing. @throws SeqqaError if data of the user's could not be restored. */
  close(): Promise<void>;
}
