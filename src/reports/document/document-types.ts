import type { JourneyResult } from "../../model/results/journey-result.ts";
import type { Divergence, ExplorationFacts, RunError } from "../../model/results/result.ts";
import type { Severity } from "../../model/declare/severity.ts";
import type { ReportedFailure, ReportedKnown } from "./run-report.ts";

/** The committed graph, as lists that are indexed alike. Node 0 is the root state. */
export interface GraphEntry {
  /** Action names; the other lists name actions by their place here. */
  readonly actions: readonly string[];
  /** How many states there are. */
  readonly nodes: number;
  /** How many transitions there are. */
  readonly edges: number;
  /** Where the graph has more than 1,000,000 transitions: a sentence that says so. The lists below are empty then; the run store has all of them. */
  readonly leftOut?: string | undefined;
  /** Per node: the node that it was first opened from; -1 for the root. */
  readonly parents: readonly number[];
  /** Per node: the place of the action that led to it from its parent; -1 for the root. */
  readonly parentActions: readonly number[];
  /** Per node: steps from the root. */
  readonly depths: readonly number[];
  /** Per edge: the node that it leaves. */
  readonly edgeFrom: readonly number[];
  /** Per edge: the place of its action. */
  readonly edgeAction: readonly number[];
  /** Per edge: the node that it leads to; -1 when the outcome has no state (an error, a crash, a timeout). */
  readonly edgeTo: readonly number[];
  /** Per edge: the HTTP status of the response; 0 when there was none. */
  readonly edgeStatus: readonly number[];
}

/** An exploration as it stands in the document. */
export interface ExplorationEntry extends ExplorationFacts {
  /** The agent's name, else the file's. */
  readonly name: string;
  /** The exploration file, relative to where the command was started. */
  readonly file: string;
  /** What was explored. */
  readonly graph: GraphEntry;
}

/** A journey as it stands in the document. */
export interface JourneyEntry extends JourneyResult {
  /** The journey's file, relative to where the command was started. */
  readonly file: string;
  /** What the reader should know about it. */
  readonly notes: readonly string[];
  /** Why it could not be run. */
  readonly errors: readonly RunError[];
  /** Its stores could not be put back afterwards. */
  readonly divergences: readonly Divergence[];
}

/**
 * The document of `results.json`, of `--reporter json` and of a run that was kept: plain data, and nothing in it that a report must not show. Its JSON Schema is
 * `seqqa.results.schema.json`.
 *
 * `format` becomes 2 when a field is taken away, renamed, or changes its type or meaning. Fields and words of lists that are new do not change it: readers pass over what
 * they do not know.
 */
export interface RunDocument {
  /** The version of seqqa that made it. */
  readonly seqqa: string;
  /** The version of this format. */
  readonly format: 1;
  /** The run's id, by which `seqqa report --run` finds it. */
  readonly run: string;
  /** When the run began: ISO 8601, UTC. */
  readonly startedAt: string;
  /** From which severity on a finding failed the run. */
  readonly failOnSeverity: Severity | "none";
  /** In the order in which they were run. */
  readonly explorations: readonly ExplorationEntry[];
  /** In the order in which they were run. */
  readonly journeys: readonly JourneyEntry[];
  /** Files that ended without a result. */
  readonly failures: readonly ReportedFailure[];
  /** What became of the list of known findings; absent where there is no list. */
  readonly knownFindings?: ReportedKnown | undefined;
  /** The exit status of the command. */
  readonly exitStatus: number;
}
