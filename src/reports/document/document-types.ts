import type { JourneyResult } from "../../model/results/journey-result.ts";
import type { Divergence, ExplorationFacts, RunError } from "../../model/results/result.ts";
import type { Severity } from "../../model/declare/severity.ts";
import type { ReportedFailure, ReportedKnown, RunCoverage } from "./run-report.ts";
import type { SourcePlace } from "./source-place.ts";

/** The committed graph as parallel lists: entry i of each list of nodes belongs to node i, likewise for edges. Node 0 is the root state. */
export interface GraphEntry {
  /** The names of the actions. The other lists refer to an action by its index in this list. */
  readonly actions: readonly string[];
  /** The number of states. */
  readonly nodes: number;
  /** The number of transitions. */
  readonly edges: number;
  /**
   * A sentence that says why the lists below are empty: the graph has more than 1,000,000 transitions, and only the run log contains them all.
   * Otherwise absent.
   */
  readonly leftOut?: string | undefined;
  /** For each node, the node from which it was first reached; -1 for the root state. */
  readonly parents: readonly number[];
  /** For each node, the index of the action that first led to it; -1 for the root state. */
  readonly parentActions: readonly number[];
  /** For each node, the number of steps from the root state. */
  readonly depths: readonly number[];
  /** For each edge, the node at which it begins. */
  readonly edgeFrom: readonly number[];
  /** For each edge, the index of its action. */
  readonly edgeAction: readonly number[];
  /** For each edge, the node that it leads to; -1 if the step led to no state (an error, a crash, a timeout). */
  readonly edgeTo: readonly number[];
  /** For each edge, the HTTP status of the response; 0 if there was no response. */
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
  /** How often the rules noticed wrong data. Absent unless `seqqa strength` measured it after the run. */
  readonly strength?: RuleStrength | undefined;
}

/** The result of `seqqa strength`, which corrupts data and counts how often the rules of an exploration notice the wrong data. */
export interface RuleStrength {
  /** The number of cases in which seqqa corrupted data. */
  readonly tried: number;
  /** The number of cases in which a rule noticed the wrong data. */
  readonly noticed: number;
  /** The number of cases in which the database refused the wrong data, for example because of a constraint. */
  readonly refused: number;
  /** `true` if the time limit was reached before all corruptions were tried. */
  readonly isCut: boolean;
  /** The results by table, column and kind of corruption. */
  readonly places: readonly StrengthPlace[];
}

/** The results of one kind of corruption, in one column or table. */
export interface StrengthPlace {
  /** The name of the table. */
  readonly table: string;
  /** The column whose values were corrupted; `null` if whole rows were copied or removed. */
  readonly column: string | null;
  /** The kind of corruption, e.g. `another word`, `one more`, `a row missing`. */
  readonly kind: string;
  /** The number of cases in which seqqa corrupted data. */
  readonly tried: number;
  /** The number of cases in which a rule noticed the wrong data. */
  readonly noticed: number;
  /** The names of the rules that noticed the wrong data. */
  readonly by: readonly string[];
}

/** A journey in the document. */
export interface JourneyEntry extends JourneyResult {
  /** The journey's file, relative to the folder in which the command was started. */
  readonly file: string;
  /** Remarks about the journey for the reader of a report. */
  readonly notes: readonly string[];
  /** The errors because of which the journey did not run. */
  readonly errors: readonly RunError[];
  /** The reasons why the stores of the journey could not be restored; empty if they were restored. */
  readonly divergences: readonly Divergence[];
}

/**
 * The content of `results.json`, of the output of `--reporter json`, and of a stored run. The document is redacted plain data. The JSON Schema of the
 * document is `seqqa.results.schema.json`.
 *
 * `format` changes to 2 if a field is removed or renamed, or changes its type or meaning. New fields and new enumeration values do not change
 * `format`, because readers ignore unknown fields and values.
 */
export interface RunDocument {
  /** The version of seqqa that wrote the document. */
  readonly seqqa: string;
  /** The version of the format of this document. */
  readonly format: 1;
  /** The id of the run. `seqqa report --run` takes this id. */
  readonly run: string;
  /** The start time of the run, in ISO 8601, UTC. */
  readonly startedAt: string;
  /** The lowest severity of a finding that makes the run fail; `none` if no finding does. */
  readonly failOnSeverity: Severity | "none";
  /** The explorations, in the order in which they were run. */
  readonly explorations: readonly ExplorationEntry[];
  /** The journeys, in the order in which they were run. */
  readonly journeys: readonly JourneyEntry[];
  /** The files of explorations and journeys that ended with an error and without a result. */
  readonly failures: readonly ReportedFailure[];
  /** The comparison of the run with the list of known findings; absent if there is no list. */
  readonly knownFindings?: ReportedKnown | undefined;
  /** The coverage of the whole run; absent without `coverage.code`. Operations are in the `coverage` of each exploration. */
  readonly coverage?: RunCoverage | undefined;
  /** The location of the user's code, for links to its lines; absent if the report has no such links. */
  readonly source?: SourcePlace | undefined;
  /**
   * The folder in which the command was started, relative to the folder of the reports (`report.output_dir`). The paths of exploration and journey
   * files are relative to this folder. Absent in runs of earlier versions.
   */
  readonly folder?: string | undefined;
  /**
   * The flags that `seqqa replay` and `seqqa open` need in the folder in which the run was started, to find this run and its target, as words of a
   * POSIX shell, e.g. `--config qa/seqqa.yaml`. Absent if no flag is needed.
   */
  readonly commandFlags?: string | undefined;
  /** The exit status of the command. */
  readonly exitStatus: number;
}
