import type { JourneyResult } from "../../model/results/journey-result.ts";
import type { Divergence, ExplorationFacts, RunError } from "../../model/results/result.ts";
import type { Severity } from "../../model/declare/severity.ts";
import type { ReportedFailure, ReportedKnown, RunCoverage } from "./run-report.ts";
import type { SourcePlace } from "./source-place.ts";

/** The committed graph, as lists with common indices. Node 0 is the root state. */
export interface GraphEntry {
  /** The names of the actions. The other lists refer to an action by its index in this list. */
  readonly actions: readonly string[];
  /** The number of states. */
  readonly nodes: number;
  /** The number of transitions. */
  readonly edges: number;
  /** A sentence, present if the graph has more than 1,000,000 transitions. The lists below are then empty, and the run log has all transitions. */
  readonly leftOut?: string | undefined;
  /** Per node: the node from which it was first reached; -1 for the root. */
  readonly parents: readonly number[];
  /** Per node: the index of the action that led to it from its parent; -1 for the root. */
  readonly parentActions: readonly number[];
  /** Per node: the number of steps from the root. */
  readonly depths: readonly number[];
  /** Per edge: the node that it leaves. */
  readonly edgeFrom: readonly number[];
  /** Per edge: the index of its action. */
  readonly edgeAction: readonly number[];
  /** Per edge: the node that it leads to; -1 if the outcome has no state (an error, a crash, a timeout). */
  readonly edgeTo: readonly number[];
  /** Per edge: the HTTP status of the response; 0 if there was none. */
  readonly edgeStatus: readonly number[];
}

/** An exploration in the document. */
export interface ExplorationEntry extends ExplorationFacts {
  /** The name of the agent, or of the file if the agent has no name. */
  readonly name: string;
  /** The exploration file, relative to the folder in which the command was started. */
  readonly file: string;
  /** The explored graph. */
  readonly graph: GraphEntry;
}

/** A journey in the document. */
export interface JourneyEntry extends JourneyResult {
  /** The journey's file, relative to the folder in which the command was started. */
  readonly file: string;
  /** Notes on the journey for the reader. */
  readonly notes: readonly string[];
  /** The errors that prevented the journey from running. */
  readonly errors: readonly RunError[];
  /** The reasons why the stores of the journey could not be restored; empty if they were restored. */
  readonly divergences: readonly Divergence[];
}

/**
 * The document of `results.json`, of `--reporter json` and of a stored run. It is plain data, without anything that a report must not show. Its JSON
 * Schema is `seqqa.results.schema.json`.
 *
 * `format` becomes 2 if a field is removed or renamed, or changes its type or meaning. New fields and new enumeration values do not change `format`:
 * readers ignore unknown ones.
 */
export interface RunDocument {
  /** The version of seqqa that wrote the document. */
  readonly seqqa: string;
  /** The version of this format. */
  readonly format: 1;
  /** The id of the run. `seqqa report --run` takes this id. */
  readonly run: string;
  /** The start time of the run, in ISO 8601, UTC. */
  readonly startedAt: string;
  /** The lowest severity of a finding that fails the run. */
  readonly failOnSeverity: Severity | "none";
  /** The explorations, in the order in which they were run. */
  readonly explorations: readonly ExplorationEntry[];
  /** The journeys, in the order in which they were run. */
  readonly journeys: readonly JourneyEntry[];
  /** Files that ended without a result. */
  readonly failures: readonly ReportedFailure[];
  /** The state of the list of known findings after the run; absent if there is no list. */
  readonly knownFindings?: ReportedKnown | undefined;
  /** The coverage of the whole run; absent without `coverage.code`. Operations are in the `coverage` of each exploration. */
  readonly coverage?: RunCoverage | undefined;
  /** The location of the user's code, for links to its lines; absent if there are no links. */
  readonly source?: SourcePlace | undefined;
  /** The exit status of the command. */
  readonly exitStatus: number;
}
