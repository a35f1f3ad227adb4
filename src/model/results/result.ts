import type { ApiRequest } from "../http/response.ts";
import type { Severity } from "../declare/severity.ts";
import type { Strategy } from "../declare/strategy.ts";
import type { TargetEnd } from "./target-end.ts";

/** Why an exploration ended. */
export type StopReason = "exhausted" | "max_steps" | "max_depth" | "max_time" | "first_violation" | "interrupted";

/** A response as reports show it. */
export interface RecordedResponse {
  /** The HTTP status. */
  readonly status: number;
  /** Names are in lower case; several values of one name are joined with `", "`. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body as text. */
  readonly body: string;
}

/** One request and its response, or why there was none. */
export interface RecordedExchange {
  /** What was sent. */
  readonly request: ApiRequest;
  /** Absent when there was no answer. */
  readonly response?: RecordedResponse | undefined;
  /** Why there was no answer. */
  readonly error?: string | undefined;
  /** Milliseconds from sending the request to having read the answer. */
  readonly durationMs: number;
}

/** One step of a reproduction path, with everything that it sent. */
export interface RecordedStep {
  /** The action's name. */
  readonly action: string;
  /** The HTTP status of the response that the action returned; `null` when it returned none. */
  readonly status: number | null;
  /** All that it sent, in order. */
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

/**
 * Why a finding was not replayed from a clean start. `max_time`: the time was over before. `interrupted`: the run was interrupted before. `no_target`: no
 * target could be started for it.
 */
export type NotReplayedReason = "max_time" | "interrupted" | "no_target";

/** A rule that was broken, proven by a path. */
export interface Violation {
  /** Stable over runs: a hash of exploration, invariant, last action and its response's status. */
  readonly id: string;
  /** The name of the rule: an invariant's, or that of a built-in rule. */
  readonly invariant: string;
  /** How bad it is. */
  readonly severity: Severity;
  /** What is wrong, in one sentence. */
  readonly message: string;
  /** The user's own line where the rule is declared, e.g. `shop.explore.ts:12:5`: the invariant's, of a built-in rule that of the last action. */
  readonly where?: string | undefined;
  /** Action names; the last one triggered it. Empty: the root state breaks the rule. */
  readonly reproductionPath: readonly string[];
  /** Of the last step: the request of the response that the action returned. */
  readonly request?: ApiRequest | undefined;
  /** The response that the last action returned. */
  readonly response?: RecordedResponse | undefined;
  /** The path as it was replayed from a clean start, step by step; empty when that did not show it again. */
  readonly steps: readonly RecordedStep[];
  /**
   * What the broken rule itself asked for when it was checked after the last step; where it asked for nothing, what the rules asked that broke with it.
   */
  readonly checks?: readonly RecordedExchange[] | undefined;
  /** How short the path is known to be. */
  readonly minimality?: Minimality | undefined;
  /** The path that the exploration found, when a shorter one is shown. */
  readonly shrunkFrom?: readonly string[] | undefined;
  /** For `seqqa replay`: by which paths of action indices the data of each step is drawn, where it is not the path itself. */
  readonly draws?: readonly (readonly number[])[] | undefined;
  /** In the documents of runs: a script for a POSIX shell that sends the requests of the path with curl; see `seqqa replay --emit curl`. Nothing in it that is redacted. */
  readonly curl?: string | undefined;
  /**
   * Seen again when the path was replayed from a clean start: on a target that was started for it, or whose stores were put back to the root state. `false`:
   * it is flaky, unless it was not replayed.
   */
  readonly confirmed: boolean;
  /** The path was not replayed, and reports call it not confirmed: nothing is known about whether it is flaky. */
  readonly notReplayed?: true;
  /** Why it was not replayed. */
  readonly notReplayedReason?: NotReplayedReason | undefined;
  /** How many committed edges broke the same rule with the same last action and status. */
  readonly count: number;
  /** The node that it leads to, as in {@link ExplorationGraph}; `null` when there is none (a crash, a timeout). */
  readonly state: number | null;
  /** Listed in `known_findings`: shown, and no reason for the run to fail. */
  readonly known?: true;
  /** Of `target_crashed`, where seqqa started the target: how its process stood then. */
  readonly target?: TargetEnd | undefined;
  /** Where seqqa started the target: the lines that it printed while the last step was replayed and checked, the last 40 at most. */
  readonly printed?: readonly string[] | undefined;
  toString(): string;
}

/**
 * What a race shows, most severe first. `invariant`: a rule is broken that holds after every order of the calls. `state`: the final state is that of no
 * order. `responses`: the state is one of an order, the responses are not. `server_error`: an answer 5xx, or none, that no order gives.
 */
export type RaceVerdict = "invariant" | "state" | "responses" | "server_error";

/** How requests are made to meet. */
export type RaceDelivery = "http2" | "pipelined" | "last_byte" | "plain" | "gated";

/** What a call of a race came to. */
export interface RaceCall {
  /** The action's name. */
  readonly action: string;
  /** The HTTP status of its response; `null` when there was none. */
  readonly status: number | null;
  /** All that it sent, in order. */
  readonly requests: readonly RecordedExchange[];
}

/** How one execution of the calls came out. */
export interface RaceOutcome {
  /** In which order they were executed, by their places in {@link calls}; `null`: at the same time. */
  readonly order: readonly number[] | null;
  /** One per side, in the order of the race's sides. */
  readonly calls: readonly RaceCall[];
  /** What they changed in the state together: a line each, `- ` what was there before, `+ ` what is there now. */
  readonly changes: readonly string[];
  /** The names of the invariants that do not hold after it. */
  readonly broken: readonly string[];
}

/** An order of statements that a store was made to follow: one call is held before a write until the others are done or wait for it. */
export interface RaceSchedule {
  /** The system that held it, as in `systems`. */
  readonly system: string;
  /** The side that is held. */
  readonly held: number;
  /** Before which of its writes, from 1. */
  readonly write: number;
  /** What that write is, e.g. `UPDATE orders`. */
  readonly statement: string;
}

/** Calls that, sent at the same moment, came out as no order of them does. */
export interface Race {
  /** Stable over runs: a hash of exploration and both actions. */
  readonly id: string;
  /** The name of the first action. */
  readonly first: string;
  /** The name of the second action; the same where an action races with itself. */
  readonly second: string;
  /** How many calls were sent at once: 2, or more of one action. */
  readonly copies: number;
  /** Action names that lead to the state in which they were sent. */
  readonly prefix: readonly string[];
  /** What it shows. */
  readonly verdict: RaceVerdict;
  /** The broken rule of the verdict `invariant`. */
  readonly invariant?: string | undefined;
  /** The invariant's, else HIGH for `state` and `server_error`, MEDIUM for `responses`. */
  readonly severity: Severity;
  /** What is wrong, in one sentence. */
  readonly message: string;
  /** Where the first action, or the broken invariant, is declared, e.g. `shop.explore.ts:12:5`. */
  readonly where?: string | undefined;
  /** A trial that showed it. */
  readonly observed: RaceOutcome;
  /** How the orders of the calls come out. */
  readonly allowed: readonly RaceOutcome[];
  /** Trials that showed it. */
  readonly hits: number;
  /** Trials in which the calls overlapped. */
  readonly trials: number;
  /** Trials in which they did not overlap; they say nothing. */
  readonly misses: number;
  /** The 95 % confidence interval of the share of hits (Wilson's score interval). */
  readonly rate: {
    /** 0 to 1. */
    readonly low: number;
    /** 0 to 1. */
    readonly high: number;
  };
  /** How the calls were made to meet. */
  readonly delivery: RaceDelivery;
  /** With `gated`: what was held, where. Following it shows the race each time. */
  readonly schedule?: RaceSchedule | undefined;
  /** The steps of the prefix as they were executed on a lane that was built anew. */
  readonly steps: readonly RecordedStep[];
  /** The first request of each side of the observed trial. */
  readonly requests: readonly ApiRequest[];
  /** In how many kinds of states and statuses of the pair it was seen. */
  readonly count: number;
  /** For `seqqa replay`: as {@link Violation.draws}, of the prefix. */
  readonly draws?: readonly (readonly number[])[] | undefined;
  /** In the documents of runs: a script for a POSIX shell that reproduces it with curl. Nothing in it that is redacted. */
  readonly curl?: string | undefined;
  /** Listed in `known_findings`: shown, and no reason for the run to fail. */
  readonly known?: true;
  toString(): string;
}

/** Calls that, sent at the same moment, came out as no order of them does, and that are no finding all the same. */
export interface DismissedRace {
  /** The name of the first action. */
  readonly first: string;
  /** The name of the second action; the same where an action races with itself. */
  readonly second: string;
  /** How many calls were sent at once: 2, or more of one action. */
  readonly copies: number;
  /** Action names that lead to the state in which they were sent. */
  readonly prefix: readonly string[];
  /** The verdict that it would have had. */
  readonly verdict: RaceVerdict;
  /** The broken rule of the verdict `invariant`. */
  readonly invariant?: string | undefined;
  /** The observation, in one sentence. */
  readonly message: string;
  /** The first trial in which it was seen. */
  readonly observed: RaceOutcome;
  /** Why it is no finding, as in {@link RaceCoverage.dismissed}. */
  readonly reason: string;
  /** How many probes of the pair were dismissed like this. */
  readonly count: number;
}

/** What probing for races did and did not do. */
export interface RaceCoverage {
  /** Pairs of actions, in a state each, that were applicable there. */
  readonly pairs: number;
  /** Classes of pairs (the pair, its statuses, how each side reacts to the other) that were probed. */
  readonly probed: number;
  /** Concurrent trials in all. */
  readonly trials: number;
  /** Trials that did not overlap. */
  readonly misses: number;
  /** Pairs that were not probed, by reason: `read_only`, `same_class`, `unexplored`, `max_time`, `one_connection` (the target serves one connection at a time), ... */
  readonly skipped: Readonly<Record<string, number>>;
  /** Hits that were not reported, by reason: `control` (the staggered arm showed them, too), `noise` (repeats of one order differ alike), `idempotent` (a repeated DELETE), `unconfirmed`, `max_time` (pairs that were not confirmed for want of time), ... */
  readonly dismissed: Readonly<Record<string, number>>;
  /** The dismissed races, one per pair of actions, verdict and reason; absent where there were none. */
  readonly dismissedRaces?: readonly DismissedRace[] | undefined;
  /** How requests were made to meet (see {@link RaceDelivery}), and in how many trials. */
  readonly deliveries: Readonly<Record<string, number>>;
  /** Milliseconds. */
  readonly durationMs: number;
}

/** What exploring a `StateGraph` found. */
export interface StateGraphResult extends ExplorationResult {
  readonly unreachedNodes: readonly string[];
  readonly deadEdges: readonly string[];
  readonly deniedChecks: readonly string[];
}

/** Something that was expected to come out the same twice and did not. */
export interface Divergence {
  /** What was compared. */
  readonly kind: "replay" | "cross_check" | "merge" | "late_write" | "not_put_back" | "lane" | "root" | "time_passed";
  /** Action names that led there from the root. */
  readonly path: readonly string[];
  /** One sentence with the likely cause. */
  readonly message: string;
  /** What differed, a line each, at most 20. */
  readonly differences: readonly string[];
  /** What to do about it. */
  readonly hint?: string | undefined;
}

/** A failure of the user's own code, or one that kept a step from being judged. */
export interface RunError {
  /** Stable, in upper case. */
  readonly code: string;
  /** What happened, in one sentence. Of errors that differ in ids and times alone, and of those beyond the first 20 messages of one source, the first. */
  readonly message: string;
  /** Action names that led there from the root. */
  readonly path: readonly string[];
  /** The action or invariant that raised it. */
  readonly source: string;
  /** The user's own line, e.g. `shop.explore.ts:12:5`. */
  readonly where?: string | undefined;
  /** With the user's own files. */
  readonly stack?: string | undefined;
  /** How many committed steps raised the same. */
  readonly count: number;
}

export interface ActionCoverage {
  /** Steps in which the action was executed. */
  readonly applied: number;
  /** States in which its precondition was not met. */
  readonly skipped: number;
  /** Status -> how often. */
  readonly statuses: Readonly<Record<string, number>>;
  /** A rule added it to the agent's own, as `ownership` does: where it never applied, nothing is missing. */
  readonly brought?: true;
  /** Its writes that were answered with 200 to 299, where not one of them changed anything that seqqa sees. */
  readonly unseenWrites?: number;
  /** Its writes need not change anything. */
  readonly changesNothing?: true;
  /** The result is verified even if it never applied. */
  readonly mayNeverApply?: true;
  /** The result is verified even if it was refused each time. */
  readonly mayNeverSucceed?: true;
}

/** The committed graph, as arrays that are indexed alike. Node 0 is the root state. */
export interface ExplorationGraph {
  /** Action names; the other lists name actions by their place here. */
  readonly actions: readonly string[];
  /** How many states there are. */
  readonly nodes: number;
  /** How many transitions there are. */
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

/**
 * The kinds of what a search leaves out. `violating_states`: nothing is tried behind a state that breaks a rule. `dropped_field`: a field differs
 * between two executions of one path and is left out of states. `unaudited_reduction`: states were merged on an assumption that no execution tested.
 * `background`: columns that change without a request. `time_passed`: a stored time passed while its state waited. `invisible_state`: calls whose effect
 * no store, context key or probe shows.
 */
export type VerdictExceptionKind =
  "violating_states" | "dropped_field" | "unaudited_reduction" | "background" | "time_passed" | "invisible_state";

/** A part of the state space that was left out. */
export interface VerdictException {
  /** Why it was left out. */
  readonly kind: VerdictExceptionKind;
  /** How many states, fields or calls it is about. */
  readonly count: number;
  /** A phrase that continues "exhaustive except", e.g. `behind 3 violating states`. */
  readonly text: string;
}

/** How much of the state space a result covers. */
export interface Verdict {
  /** Everything reachable was explored, without any exception. */
  readonly complete: boolean;
  /** One line, e.g. `exhaustive except behind 3 violating states (21 states, 0 open)`. */
  readonly text: string;
  /** The parts that were left out; empty if only a budget ended the search. */
  readonly exceptions: readonly VerdictException[];
}

/** States that were merged although they differ in the order in which their values were generated. */
export interface Reduction {
  /** The difference that is assumed not to matter, e.g. `the order of orders.id`. */
  readonly reason: string;
  /** Steps that led to a known state with another order. */
  readonly merges: number;
  /** Merges after which every action was executed in both states and compared. */
  readonly audited: number;
  /** Audits in which they went on differently. */
  readonly refuted: number;
}

/** What an exploration found, without its graph: plain data. */
export interface ExplorationFacts {
  /** How much of the state space the result covers. */
  readonly verdict: Verdict;
  /** Why the result is unverified (exit code 3) although nothing failed, a sentence each; empty: it is not. */
  readonly unverified: readonly string[];
  /** On which assumptions states were merged. */
  readonly reductions: readonly Reduction[];
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
  /** Steps from the root to the deepest state. */
  readonly maxDepthReached: number;
  /** All states up to this depth were found and, below it, expanded. */
  readonly completeToDepth: number;
  /** Rules that were broken, one entry per rule, last action and status. */
  readonly violations: readonly Violation[];
  /** Calls that came out at the same time as they do in no order; one per pair of actions, by the worst that was seen. */
  readonly races: readonly Race[];
  /** What probing for races did; absent where it was off. */
  readonly raceCoverage?: RaceCoverage | undefined;
  /** What should have come out the same twice and did not. */
  readonly divergences: readonly Divergence[];
  /** What failed in the user's own code, or kept a step from being judged. */
  readonly errors: readonly RunError[];
  /** Why it ended. */
  readonly stopReason: StopReason;
  /** What of the state space was tried. */
  readonly coverage: {
    /** By the action's name. */
    readonly actions: Readonly<Record<string, ActionCoverage>>;
    /** Share of state x action that was executed or skipped. */
    readonly pairs: number;
  };
  /** Milliseconds that the exploration took, from the first target's start. */
  readonly durationMs: number;
  /** The order in which states were explored. */
  readonly strategy?: Strategy["kind"] | undefined;
  /** What all draws depend on. */
  readonly seed: number;
  /** Hash of the committed sequence: parents, actions, outcomes as status classes, findings. */
  readonly digest: string;
  /** Upper bound of the probability that two of the visited states share a 64-bit fingerprint (birthday bound n(n-1)/2^65). */
  readonly collisionProbability: number;
  /** Committed steps that reached a state with the fingerprint of another one, by a second hash of 16 bits: the two count as one, so that something may be missing. */
  readonly collisions: number;
  /** States whose symmetric ids were more than the canonical form tries; each counts as its own. */
  readonly bounded: number;
  /** What the reader should know about how far the result can be trusted. */
  readonly notes: readonly string[];
  /** The names of the invariants that were declared, in their order. */
  readonly invariants: readonly string[];
  /**
   * Of a `StateGraph`: nodes that the world was never at. Where the exploration was exhaustive and nothing that could lead there was
   * cut off by a finding or an error, each is a violation `<node>_unreached`, too.
   */
  readonly unreachedNodes?: readonly string[] | undefined;
  /** Of a `StateGraph`: edges that never applied at a node that was reached, by name; where that is certain, violations `<edge>_dead`, too. */
  readonly deadEdges?: readonly string[] | undefined;
  /** Of a `StateGraph`: nodes whose `check` denied a state; each has a violation `<node>_denied`. */
  readonly deniedChecks?: readonly string[] | undefined;
}

/** What an exploration found. */
export interface ExplorationResult extends ExplorationFacts {
  readonly graph: ExplorationGraph;
  /** Plain data: the members of {@link ExplorationFacts} and the graph with plain lists. */
  toJSON(): object;
}
