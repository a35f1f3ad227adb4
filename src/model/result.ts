import type { ApiRequest } from "./response.ts";
import type { Severity } from "./severity.ts";
import type { TargetEnd } from "./target-end.ts";

/** Why an exploration ended. */
export type StopReason = "exhausted" | "max_steps" | "max_depth" | "max_time" | "first_violation" | "interrupted";

/** A response as reports show it. */
export interface RecordedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** One request and its response, or why there was none. */
export interface RecordedExchange {
  readonly request: ApiRequest;
  readonly response?: RecordedResponse | undefined;
  readonly error?: string | undefined;
  readonly durationMs: number;
}

/** One step of a reproduction path, with everything that it sent. */
export interface RecordedStep {
  readonly action: string;
  readonly status: number | null;
  readonly requests: readonly RecordedExchange[];
  /** What the step changed in the state: a line each, `- ` what was there before, `+ ` what is there now. */
  readonly changes?: readonly string[] | undefined;
}

/**
 * How short a reproduction path is known to be. `shortest`: every shorter sequence was tried that breaks no rule before its end (one that repeats a state
 * in a shorter way stands for others). `one_minimal`: without any single one of its steps but the last, which the finding is named after, it does not
 * reproduce. `as_found`: time was up before that was known, or what was left did not reproduce from a clean start.
 */
export type Minimality = "shortest" | "one_minimal" | "as_found";

/** A rule that was broken, proven by a path. */
export interface Violation {
  /** Stable over runs: a hash of exploration, invariant, last action and its response's status. */
  readonly id: string;
  readonly invariant: string;
  readonly severity: Severity;
  readonly message: string;
  /** Action names; the last one triggered it. Empty: the root state breaks the rule. */
  readonly reproductionPath: readonly string[];
  readonly request: ApiRequest | undefined;
  readonly response: RecordedResponse | undefined;
  readonly steps: readonly RecordedStep[];
  /**
   * What the broken rule itself asked for when it was checked after the last step; where it asked for nothing, what the rules asked that broke with it.
   */
  readonly checks?: readonly RecordedExchange[] | undefined;
  readonly minimality?: Minimality | undefined;
  /** The path that the exploration found, when a shorter one is shown. */
  readonly shrunkFrom?: readonly string[] | undefined;
  /** For `seqqa replay`: by which paths of action indices the data of each step is drawn, where it is not the path itself. */
  readonly draws?: readonly (readonly number[])[] | undefined;
  /** In the documents of runs: a script for a POSIX shell that sends the requests of the path with curl; see `seqqa replay --emit curl`. Nothing in it that is redacted. */
  readonly curl?: string | undefined;
  /** Seen again when the path was replayed from a clean start; `false` is flaky. */
  readonly confirmed: boolean;
  /** How many committed edges broke the same rule with the same last action and status. */
  readonly count: number;
  /** The node that it leads to, as in {@link ExplorationGraph}; `null` when there is none (a crash, a timeout). */
  readonly state: number | null;
  /** Listed in `known_findings`: shown, and no reason for the run to fail. */
  readonly known?: true;
  /** Of `target_crashed`, where seqqa started the target: how its process stood then. */
  readonly target?: TargetEnd | undefined;
  toString(): string;
}

/** What exploring a `StateGraph` found. */
export interface StateGraphResult extends ExplorationResult {
  readonly unreachedNodes: readonly string[];
  readonly deadEdges: readonly string[];
  readonly deniedChecks: readonly string[];
}

/** Something that was expected to come out the same twice and did not. */
export interface Divergence {
  readonly kind: "replay" | "cross_check" | "merge" | "late_write" | "not_put_back" | "lane" | "root";
  readonly path: readonly string[];
  /** One sentence with the likely cause. */
  readonly message: string;
  /** What differed, a line each, at most 20. */
  readonly differences: readonly string[];
  readonly hint?: string | undefined;
}

/** A failure of the user's own code, or one that kept a step from being judged. */
export interface RunError {
  readonly code: string;
  readonly message: string;
  readonly path: readonly string[];
  /** The action or invariant that raised it. */
  readonly source: string;
  /** The user's own line, e.g. `shop.explore.ts:12:5`. */
  readonly where?: string | undefined;
  readonly stack?: string | undefined;
  /** How many committed steps raised the same. */
  readonly count: number;
}

export interface ActionCoverage {
  /** Steps in which the action was executed. */
  readonly applied: number;
  readonly skipped: number;
  /** Status -> how often. */
  readonly statuses: Readonly<Record<string, number>>;
}

/** The committed graph, as arrays that are indexed alike. Node 0 is the root state. */
export interface ExplorationGraph {
  readonly actions: readonly string[];
  readonly nodes: number;
  readonly edges: number;
  /** Per node: the node that it was first opened from (-1 for the root). */
  readonly parents: Int32Array;
  /** Per node: the index of the action that led to it from its parent (-1 for the root). */
  readonly parentActions: Int32Array;
  readonly depths: Int32Array;
  readonly edgeFrom: Int32Array;
  readonly edgeAction: Int32Array;
  /** -1: the outcome has no state (an error, a crash, a timeout). */
  readonly edgeTo: Int32Array;
  readonly edgeStatus: Int32Array;
  /** Action names from the root to a node. */
  path(node: number): readonly string[];
}

/**
 * What is kept of single states and edges, for reports: of the first ones in the order of commits, and of no more than reports can show. Keys are numbers of
 * nodes, and places of edges in {@link ExplorationGraph}.
 */
export interface ExplorationDetails {
  /** The state of a node in lines, each of which stands for itself: a row, a key of the context, a client's token. Cut to a few hundred. */
  readonly states: ReadonlyMap<number, readonly string[]>;
  /** What the action of an edge sent, and what came back. */
  readonly exchanges: ReadonlyMap<number, readonly RecordedExchange[]>;
}

/** What an exploration found. */
export interface ExplorationResult {
  /** Distinct committed states, the root included. */
  readonly statesVisited: number;
  /** Distinct committed (state, action) pairs that were executed, self-loops included. */
  readonly transitions: number;
  /** Committed executions: what the budget counts. */
  readonly steps: number;
  /** Actions whose precondition was not met. */
  readonly skipped: number;
  /** Actions executed again to get to a node. */
  readonly replayed: number;
  /** Actions executed once more to compare what came of them: a sample of states, reached in another way than before. */
  readonly crossChecked: number;
  /** Executed ahead and not committed. */
  readonly speculative: number;
  /** States that wait to be expanded, or wholly or partly were not. */
  readonly open: number;
  readonly maxDepthReached: number;
  /** All states up to this depth were found and, below it, expanded. */
  readonly completeToDepth: number;
  readonly violations: readonly Violation[];
  readonly races: readonly never[];
  readonly divergences: readonly Divergence[];
  readonly errors: readonly RunError[];
  readonly stopReason: StopReason;
  readonly coverage: {
    readonly actions: Readonly<Record<string, ActionCoverage>>;
    /** Share of state x action that was executed or skipped. */
    readonly pairs: number;
  };
  readonly durationMs: number;
  readonly seed: number;
  /** Hash of the committed sequence: parents, actions, outcomes as status classes, findings. */
  readonly digest: string;
  /** Upper bound of the probability that two of the visited states share a 64-bit fingerprint (birthday bound n(n-1)/2^65). */
  readonly collisionProbability: number;
  /** States whose symmetric ids were more than the canonical form tries; each counts as its own. */
  readonly bounded: number;
  /** What the reader should know about how far the result can be trusted. */
  readonly notes: readonly string[];
  readonly graph: ExplorationGraph;
  /** The names of the invariants that were declared, in their order. */
  readonly invariants: readonly string[];
  /**
   * Of a `StateGraph`: nodes that the world was never at. Where the exploration was exhaustive and nothing that could lead there was
   * cut off by a finding or an error, each is a violation `<node>_unreached`, too.
   */
  readonly unreachedNodes?: readonly string[];
  /** Of a `StateGraph`: edges that never applied at a node that was reached, by name; where that is certain, violations `<edge>_dead`, too. */
  readonly deadEdges?: readonly string[];
  /** Of a `StateGraph`: nodes whose `check` denied a state; each has a violation `<node>_denied`. */
  readonly deniedChecks?: readonly string[];
  toJSON(): object;
}
