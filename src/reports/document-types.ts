import type { Config } from "../config/index.ts";
import type { JourneyResult } from "../model/journey-result.ts";
import type { Divergence, ExplorationResult, RunError, Violation } from "../model/result.ts";
import type { ReportedFailure, ReportedKnown } from "./run-report.ts";

/** An exploration as it stands in the document. */
export interface ExplorationEntry extends Omit<ExplorationResult, "toJSON" | "graph" | "violations"> {
  readonly name: string;
  readonly file: string;
  readonly violations: readonly Omit<Violation, "toString">[];
}

/** A journey as it stands in the document. */
export interface JourneyEntry extends JourneyResult {
  readonly file: string;
  readonly notes: readonly string[];
  readonly errors: readonly RunError[];
  readonly divergences: readonly Divergence[];
}

/** The document of `results.json`, of `--reporter json` and of the run store: plain data, and nothing in it that a report must not show. */
export interface RunDocument {
  readonly seqqa: string;
  readonly run: string;
  readonly startedAt: string;
  readonly failOnSeverity: Config["failOnSeverity"];
  readonly explorations: readonly ExplorationEntry[];
  readonly journeys: readonly JourneyEntry[];
  readonly failures: readonly ReportedFailure[];
  readonly knownFindings?: ReportedKnown | undefined;
  readonly exitStatus: number;
}
