import type { Config } from "../config/index.ts";
import type { ExplorationEvent } from "../engine/events.ts";
import type { ExplorationResult } from "../model/result.ts";
import type { StoreCheck } from "../model/store-provider.ts";

export interface ExploreFileInput {
  /** The exploration file. */
  readonly entry: string;
  readonly config: Config;
  /** What it is called when the agent has no name. */
  readonly name: string;
  /** Aborting it ends the exploration with stopReason `interrupted`. */
  readonly signal: AbortSignal;
  readonly onEvent: (event: ExplorationEvent) => void;
  /** Part of the names of the explorations that are wanted. */
  readonly only?: string | undefined;
}

/** Explores what one file declares; `undefined` when `only` leaves it out. @throws SeqqaError */
export type ExploreFile = (input: ExploreFileInput) => Promise<ExplorationResult | undefined>;

/** What the commands set in motion. Tests put their own in its place. */
export interface Machinery {
  readonly exploreFile: ExploreFile;
  /** The exploration files below a directory, as absolute paths, in a stable order. */
  readonly discover: (directory: string) => Promise<readonly string[]>;
  readonly demoDirectory: () => string;
  /** What a run needs, checked. */
  readonly doctor: (config: Config) => Promise<readonly StoreCheck[]>;
  /** Removes what dead runs left; a line for each. */
  readonly clean: (config: Config) => Promise<readonly string[]>;
}
