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

/** Lanes on other machines: they come and go, and do nothing but expand. */
export interface RemoteLanes {
  /** Of more than this many at once no use is made. */
  readonly most: number;
  /** How many there are now. */
  readonly open: number;
  /** How long a chunk should keep one busy: long enough that its way there and back does not matter. Milliseconds. */
  readonly chunkMs: number;
}

/** `use`: the standby lane takes a lane's place if there is one, and the next one is built. `build`: the first one is built, too. */
export type StandbyUse = "use" | "build";

/** How the engine reaches lanes: in this thread, in worker threads, on other machines. */
export interface LanePool {
  readonly lanes: number;
  /** Chunks that a lane may hold at once. */
  readonly depth: number;
  /** Where nodes are expanded, if not by the lanes above. They build themselves anew; whatever else lanes are for is done by those. */
  readonly remote?: RemoteLanes | undefined;
  /** Brings all lanes up to the root state. */
  start(): Promise<readonly LaneReport[]>;
  /** Executes a walk on every lane several times, and says what differed on the first one. */
  calibrate(walk?: CalibrationWalk): Promise<Calibration>;
  /** Brings all lanes to the root, with this knowledge of the target's values. `fresh`: each is built anew, with a new process of the target if there is one. */
  learn(knowledge: Knowledge, fresh?: "fresh"): Promise<readonly LaneReport[]>;
  /** Lets lanes look up which states are committed. */
  share(visited: VisitedSet): void;
  /** Never rejects for what a chunk did; a lane that is lost says so in `failure`. */
  expand(lane: number, chunk: Chunk): Promise<Expansion>;
  /** Replaces a lane by a fresh one. @throws SeqqaError when that is not possible. */
  rebuild(lane: number, standby?: StandbyUse): Promise<LaneReport>;
  /** Executes a path from the root on a lane that has nothing else to do. */
  record(lane: number, path: readonly number[], draws?: UnitRequest["draws"]): Promise<Recording>;
  /** Tries where a path leads, on a lane that has nothing else to do; from a checkpoint on the path that it tried before where there is one. */
  probe(lane: number, path: readonly number[], draws?: UnitRequest["draws"]): Promise<PathEnd>;
  /** Makes calls at the same time in the state that a path leads to, on a lane that has nothing else to do. Never rejects for what they did. */
  race(lane: number, request: RaceRequest): Promise<RaceAnswer>;
  /** Ends the requests in progress of a lane as their timeouts would, and a lane that does not stop then. Lanes elsewhere end theirs by themselves. */
  cut?(lane: number): void;
  /** Asks every lane to stop at the next action. */
  cancel(): void;
  /** Ends all lanes; again does nothing. @throws SeqqaError when something of the user's could not be put back. */
  close(): Promise<void>;
}
