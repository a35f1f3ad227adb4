import type { Calibration, CalibrationWalk, Chunk, Expansion, PathEnd, Recording, UnitRequest } from "../../messages/lane-messages.ts";
import type { BeforeStep } from "../navigate/record-path.ts";
import type { RaceGround } from "../races/race-ground.ts";
import type { Known } from "./lane-runtime.ts";

export interface LaneWork {
  /** The committed states that the lane knows. May be replaced while the lane works. Outdated states only cause superfluous snapshots. */
  visited: Known | undefined;
  /** Expands the units of a chunk in order, until the chunk is done, the lane is cancelled, or the lane is lost. */
  expand(chunk: Chunk): Promise<Expansion>;
  /** Executes a path from the root state, records its exchanges, and checks the last state. */
  record(path: readonly number[], draws?: UnitRequest["draws"], beforeStep?: BeforeStep): Promise<Recording>;
  /** Executes a path and returns its end. Starts at a checkpoint where the path agrees with the previous one. */
  probe(path: readonly number[], draws?: UnitRequest["draws"]): Promise<PathEnd>;
  /** Runs a function that uses this lane, for example to race calls. No other work may be in progress on the lane. */
  lend<T>(work: (ground: RaceGround) => Promise<T>): Promise<T>;
  /** Executes one path several times and returns the differences. No other work may be in progress on the lane. */
  calibrate(walk?: CalibrationWalk): Promise<Calibration>;
  /** Ends the requests in progress as if they had timed out. */
  cut(): void;
  /** Waits until no work is in progress, before the lane is closed. */
  rest(): Promise<void>;
}
