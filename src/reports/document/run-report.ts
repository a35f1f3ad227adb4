import type { Severity } from "../../model/declare/severity.ts";
import type { SourcePlace } from "./source-place.ts";
import type { JourneyResult } from "../../model/results/journey-result.ts";
import type { CodeCoverage } from "../../model/results/coverage.ts";
import type { Divergence, ExplorationResult, RunError } from "../../model/results/result.ts";

/** An exploration of a run, with its result. */
export interface ReportedExploration {
  /** The name of the agent, or of the file if the agent has no name. */
  readonly name: string;
  /** The exploration file, relative to the folder in which the command was started. */
  readonly file: string;
  readonly result: ExplorationResult;
}

/** A journey of a run, with its result. */
export interface ReportedJourney {
  readonly name: string;
  /** The journey's file, relative to the folder in which the command was started. */
  readonly file: string;
  readonly result: JourneyResult;
  readonly notes: readonly string[];
  /** The error because of which the journey did not run. */
  readonly error?: RunError | undefined;
  /** The reason why the stores of the journey could not be restored; absent if they were restored. */
  readonly notPutBack?: Divergence | undefined;
}

/** A file of an exploration or journey that ended with an error and without a result. */
export interface ReportedFailure {
  /** The file, relative to the folder in which the command was started. */
  readonly file: string;
  /** The error code, such as `STORE_LOST`. Codes stay the same in later versions of seqqa. */
  readonly code: string;
  /** The error message, one sentence. */
  readonly message: string;
  /** A hint how to solve the problem. */
  readonly hint?: string | undefined;
}

/** The comparison of a run with the list of known findings. */
export interface ReportedKnown {
  /** The file of the list, relative to the folder in which the command was started. */
  readonly file: string;
  /** The ids of known findings that this run found. */
  readonly found: readonly string[];
  /** The ids of known findings that were fixed: this run would have found them if they still existed. */
  readonly stale: readonly string[];
  /** The ids of known findings that this run did not find, but that may still exist. */
  readonly unseen: readonly string[];
  /** The ids of known findings whose rule, or an action of a race, no longer exists in their exploration. Absent if no finding is concerned. */
  readonly unchecked?: readonly string[] | undefined;
  /** The changes that `--update-known` made to the list; absent without this option. */
  readonly updated?:
    | {
        /** Ids that were added to the list. */
        readonly added: readonly string[];
        /** Ids that were removed from the list. */
        readonly removed: readonly string[];
      }
    | undefined;
}

/** The coverage of a whole run. */
export interface RunCoverage {
  /** The lines and branches of the target's code (`coverage.code`). */
  readonly code: CodeCoverage;
}

/** The complete result of a run, for reporters. */
export interface RunReport {
  readonly version: string;
  /** The id of the run. `seqqa report --run` takes this id. */
  readonly run: string;
  readonly startedAt: Date;
  readonly failOnSeverity: Severity | "none";
  readonly explorations: readonly ReportedExploration[];
  readonly journeys: readonly ReportedJourney[];
  readonly failures: readonly ReportedFailure[];
  readonly known?: ReportedKnown | undefined;
  /** The coverage of the whole run; absent if none was measured. */
  readonly coverage?: RunCoverage | undefined;
  /** The location of the user's code, for links to its lines. */
  readonly source?: SourcePlace | undefined;
  readonly exitStatus: number;
  /** The report files that were written, relative to the folder in which the command was started. */
  readonly files?: readonly string[] | undefined;
  /** The folder in which the command was started; see `folder` of the document. */
  readonly folder?: string | undefined;
  /** The command-line flags with which commands find the run; see `commandFlags` of the document. */
  readonly commandFlags?: string | undefined;
  /** The command `seqqa report` without the options that select a run and a format. Absent if the command cannot find the run. */
  readonly reportWith?: string | undefined;
  /** Returns the command that replays the finding with this id. Absent if the run was not stored. */
  readonly replayWith?: ((id: string) => string) | undefined;
}
