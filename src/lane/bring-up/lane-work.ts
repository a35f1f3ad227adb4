import type { Calibration, CalibrationWalk, Chunk, Expansion, PathEnd, Recording, UnitRequest } from "../../messages/lane-messages.ts";
import type { BeforeStep } from "../navigate/record-path.ts";
import type { RaceGround } from "../races/race-ground.ts";
import type { Known } from "./lane-runtime.ts";

export interface LaneWork {
  /** The committed states, as far as the lane knows them. For a committed state that is missing here, the lane sends an unnecessary snapshot. */
  visited: Known | undefined;
  /** Executes the units of a chunk in order. Ends when the chunk is finished, the lane is cancelled, or the lane is lost. */
  expand(chunk: Chunk): Promise<Expansion>;
  /** Executes a path from the root state, records the requests of the path, and checks the rules in the last state. */
  record(path: readonly number[], draws?: UnitRequest["draws"], beforeStep?: BeforeStep): Promise<Recording>;
  /** Executes a path and describes the state at its end. Continues from a checkpoint if the previous path began with the same steps. */
  probe(path: readonly number[], draws?: UnitRequest["draws"]): Promise<PathEnd>;
  /** Calls a function that uses this lane, for example to search for races. The lane must have no other work. */
  lend<T>(work: (ground: RaceGround) => Promise<T>): Promise<T>;
  /** Executes an experiment and returns the differences between the executions. The lane must have no other work. */
  calibrate(walk?: CalibrationWalk): Promise<Calibration>;
  /** Ends the requests in progress as if they had timed out. */
  cut(): void;
  /** Waits until the lane has no work in progress. Called before the lane is closed. */
  rest(): Promise<void>;
}
