import type { JourneyResult } from "../../model/results/journey-result.ts";
import type { Divergence, ExplorationFacts, RunError } from "../../model/results/result.ts";
import type { Severity } from "../../model/declare/severity.ts";
import type { ReportedFailure, ReportedKnown } from "./run-report.ts";
import type { SourcePlace } from "./source-place.ts";

/** The committed graph, as lists with common indices. Node 0 is the root state. */
export interface GraphEntry {
  /** Action names; the other lists name actions by their place here. */
  readonly actions: readonly string[];
  /** The number of states. */
  readonly nodes: number;
  /** The number of transitions. */
  readonly edges: number;
  /** A sentence, present if the graph has more than 1,000,000 transitions. The lists below are empty then; the run log has all transitions. */
  readonly leftOut?: string | undefined;
  /** Per node: the node from which it was first reached; -1 for the root. */
  readonly parents: readonly number[];
  /** Per node: the index of the action that led to it from its parent; -1 for the root. */
  readonly parentActions: readonly number[];
  /** Per node: steps from the root. */
  readonly depths: readonly number[];
  /** Per edge: the node that it leaves. */
  readonly edgeFrom: readonly number[];
  /** Per edge: the index of its action. */
  readonly edgeAction: readonly number[];
  /** Per edge: the node that it leads to; -1 when the outcome has no state (an error, a crash, a timeout). */
  readonly edgeTo: readonly number[];
  /** Per edge: the HTTP status of the response; 0 when there was none. */
  readonly edgeStatus: readonly number[];
}

/** An exploration in the document. */
export interface ExplorationEntry extends ExplorationFacts {
  /** The agent's name, else the file's. */
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
  /** Why the journey could not be run. */
  readonly errors: readonly RunError[];
  /** Why its stores could not be restored afterwards; empty if they were. */
  readonly divergences: readonly Divergence[];
}

/**
 * The document of `results.json`, of `--reporter json` and of a stored run: plain data, without anything that a report must not show. Its JSON Schema
 * is `seqqa.results.schema.json`.
 *
 * `format` becomes 2 when a field is removed, renamed, or changes its type or meaning. New fields and new words of enumerations do not change it:
 * readers ignore those that they do not know.
 */
export interface RunDocument {
  /** The version of seqqa that wrote the document. */
  readonly seqqa: string;
  /** The version of this format. */
  readonly format: 1;
  /** The run's id, by which `seqqa report --run` finds it. */
  readonly run: string;
  /** When the run began: ISO 8601, UTC. */
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
  /** Where the user's code is, for links to its lines; absent if there is nothing to link to. */
  readonly source?: SourcePlace | undefined;
  /** The exit status of the command. */
  readonly exitStatus: number;
}
