import type { Calibration, CalibrationWalk, Chunk, Expansion, PathEnd, Recording, UnitRequest } from "../../messages/lane-messages.ts";
import type { BeforeStep } from "../navigate/record-path.ts";
import type { RaceGround } from "../races/race-ground.ts";
import type { Known } from "./lane-runtime.ts";

/** The work that a lane does for the engine. */
export interface LaneWork {
  /** May be replaced while the lane works. An outdated one only costs bytes. */
  visited: Known | undefined;
  /** Expands the units of a chunk in order, until it is done, cancelled, or the lane is lost. */
  expand(chunk: Chunk): Promise<Expansion>;
  /** Executes a path from the root state, records its exchanges, and checks the last state. */
  record(path: readonly number[], draws?: UnitRequest["draws"], beforeStep?: BeforeStep): Promise<Recording>;
  /** Finds out where a path leads, beginning at a checkpoint of the path tried before if there is one. */
  probe(path: readonly number[], draws?: UnitRequest["draws"]): Promise<PathEnd>;
  /** Gives the lane to a function that races calls on it. The lane must be at rest. */
  lend<T>(work: (ground: RaceGround) => Promise<T>): Promise<T>;
  /** Returns the fields that differ between two executions of one path. The lane must be at rest. */
  calibrate(walk?: CalibrationWalk): Promise<Calibration>;
  /** Ends the requests in progress, as their timeouts would. */
  cut(): void;
  /** Waits until no work is in progress, before the lane is closed. */
  rest(): Promise<void>;
}
