import type { Severity } from "../../model/declare/severity.ts";
import type { SourcePlace } from "./source-place.ts";
import type { JourneyResult } from "../../model/results/journey-result.ts";
import type { Divergence, ExplorationResult, RunError } from "../../model/results/result.ts";

/** One exploration of a run. */
export interface ReportedExploration {
  /** The agent's name, else the file's. */
  readonly name: string;
  /** Relative to the folder in which the command was started. */
  readonly file: string;
  readonly result: ExplorationResult;
}

/** One journey of a run. */
export interface ReportedJourney {
  readonly name: string;
  /** Relative to the folder in which the command was started. */
  readonly file: string;
  readonly result: JourneyResult;
  readonly notes: readonly string[];
  /** Why the journey could not be run. */
  readonly error?: RunError | undefined;
  /** Why its stores could not be restored afterwards; absent if they were. */
  readonly notPutBack?: Divergence | undefined;
}

/** A file that ended without a result. */
export interface ReportedFailure {
  /** Relative to the folder in which the command was started. */
  readonly file: string;
  /** Stable, in upper case. */
  readonly code: string;
  /** The error in one sentence. */
  readonly message: string;
  /** How to solve the problem. */
  readonly hint?: string | undefined;
}

/** The state of the list of known findings after a run. */
export interface ReportedKnown {
  /** The file of the list, relative to the folder in which the command was started. */
  readonly file: string;
  /** Ids that were found again. */
  readonly found: readonly string[];
  /** Ids that no longer occur. */
  readonly stale: readonly string[];
  /** Ids that were not found, in a run that may not have reached them. */
  readonly unseen: readonly string[];
  /** The changes to the list. Only with `--update-known`. */
  readonly updated?:
    | {
        /** Ids that were added to the list. */
        readonly added: readonly string[];
        /** Ids that were removed from the list. */
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
  readonly failOnSeverity: Severity | "none";
  readonly explorations: readonly ReportedExploration[];
  readonly journeys: readonly ReportedJourney[];
  readonly failures: readonly ReportedFailure[];
  readonly known?: ReportedKnown | undefined;
  /** Where the user's code is, for links to its lines. */
  readonly source?: SourcePlace | undefined;
  readonly exitStatus: number;
  /** The report files that were written, relative to the folder in which the command was started. */
  readonly files?: readonly string[] | undefined;
  /** Returns the command that replays the finding with this id. Absent if the run was not kept. */
  readonly replayWith?: ((id: string) => string) | undefined;
}
