import type { Config } from "../../config/index.ts";
import type { JourneyResult } from "../../model/results/journey-result.ts";
import type { Divergence, ExplorationResult, RunError } from "../../model/results/result.ts";

/** One exploration of a run. */
export interface ReportedExploration {
  /** The agent's name, else the file's. */
  readonly name: string;
  /** Relative to where the command was started. */
  readonly file: string;
  readonly result: ExplorationResult;
}

/** One journey of a run. */
export interface ReportedJourney {
  readonly name: string;
  /** Relative to where the command was started. */
  readonly file: string;
  readonly result: JourneyResult;
  readonly notes: readonly string[];
  /** Why it could not be run. */
  readonly error?: RunError | undefined;
  /** Its stores could not be put back afterwards. */
  readonly notPutBack?: Divergence | undefined;
}

/** A file that ended without a result. */
export interface ReportedFailure {
  /** Relative to where the command was started. */
  readonly file: string;
  /** Stable, in upper case. */
  readonly code: string;
  /** What happened, in one sentence. */
  readonly message: string;
  /** What to do about it. */
  readonly hint?: string | undefined;
}

/** What became of the list of known findings. */
export interface ReportedKnown {
  /** The file of the list, relative to where the command was started. */
  readonly file: string;
  /** Ids that were found again. */
  readonly found: readonly string[];
  /** Ids that no longer occur. */
  readonly stale: readonly string[];
  /** Ids that were not found, in a run that need not have come to them. */
  readonly unseen: readonly string[];
  /** What was written to the list, and taken out of it. Only with `--update-known`. */
  readonly updated?:
    | {
        /** Ids that were written to it. */
        readonly added: readonly string[];
        /** Ids that were taken out of it. */
        readonly removed: readonly string[];
      }
    | undefined;
}

/** Everything that a run found. */
export interface RunReport {
  readonly version: string;
  /** The id of the run, by which `seqqa report` finds it. */
  readonly run: string;
  readonly startedAt: Date;
  readonly failOnSeverity: Config["failOnSeverity"];
  readonly explorations: readonly ReportedExploration[];
  readonly journeys: readonly ReportedJourney[];
  readonly failures: readonly ReportedFailure[];
  readonly known?: ReportedKnown | undefined;
  readonly exitStatus: number;
}
