import type { Calibration, CalibrationWalk, Chunk, Expansion, PathEnd, Recording, UnitRequest } from "../../messages/lane-messages.ts";
import type { BeforeStep } from "../navigate/record-path.ts";
import type { RaceGround } from "../races/race-ground.ts";
import type { Known } from "./lane-runtime.ts";

/** What a lane does for the engine. */
export interface LaneWork {
  /** May be replaced while the lane works; a stale one costs bytes only. */
  visited: Known | undefined;
  /** Expands the units of a chunk in order, until it is done, cancelled, or the lane is lost. */
  expand(chunk: Chunk): Promise<Expansion>;
  /** Executes a path from the root, with everything that it sends, and checks the last state. */
  record(path: readonly number[], draws?: UnitRequest["draws"], beforeStep?: BeforeStep): Promise<Recording>;
  /** Tries where a path leads, from a checkpoint on the path that was tried before where there is one. */
  probe(path: readonly number[], draws?: UnitRequest["draws"]): Promise<PathEnd>;
  /** Lends the lane to whoever races calls on it. The lane must be at rest. */
  lend<T>(work: (ground: RaceGround) => Promise<T>): Promise<T>;
  /** The fields that differ between two executions of one path. The lane must be at rest. */
  calibrate(walk?: CalibrationWalk): Promise<Calibration>;
  /** Ends the requests in progress, as their timeouts would. */
  cut(): void;
  /** Waits until nothing is under way, before the lane is closed. */
  rest(): Promise<void>;
}
