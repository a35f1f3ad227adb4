import type { ApiRequest } from "../http/response.ts";
import type { Severity } from "../declare/severity.ts";
import type { StrategyKind } from "../declare/strategy.ts";
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
  /** The request that was sent. */
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
  /** All requests that the step sent, in order. */
  readonly requests: readonly RecordedExchange[];
  /** The changes that the step made to the state: a line each, `- ` for a value before it, `+ ` for a value after it. */
  readonly changes?: readonly string[] | undefined;
  /**
   * The state after the step, a line each, with the names of `changes` for generated values: rows that were added to the root state (`+ `) or removed
   * from it (`- `), and all other values. At most 200 lines. For `setup`: the root state with all rows.
   */
  readonly state?: readonly string[] | undefined;
  /** Where seqqa started the target: the lines that it printed during the step, the last 40 at most. */
  readonly printed?: readonly string[] | undefined;
}

/** A query that a rule made to a store when it was checked. */
export interface RecordedQuery {
  /** The name of the store in the World, e.g. `db`. */
  readonly store: string;
  /** The SQL as the check gave it, with placeholders. */
  readonly sql: string;
  /** The values of the placeholders; absent if there are none. */
  readonly params?: unknown;
  /** The first rows, at most 20, column -> value. */
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  /** The number of all rows. */
  readonly total: number;
}

/** The reasons of a broken rule, as JSON-like data. */
export interface Evidence {
  /** `actual` of the `{ ok, actual, expected }` that the check returned; absent if it did not say. */
  readonly actual?: unknown;
  /** `expected` of the `{ ok, actual, expected }` that the check returned; absent if it did not say. */
  readonly expected?: unknown;
  /** The queries of the check, in order. */
  readonly queries: readonly RecordedQuery[];
}

/**
 * How short a reproduction path is known to be. `shortest`: every shorter sequence was tried that breaks no rule before its end (a sequence that
 * repeats a state in a shorter way stands for others). `one_minimal`: the finding does not reproduce without any single step except the last, after
 * which the finding is named. `as_found`: time was up before more was known, or the shortened path did not reproduce from a clean start.
 */
export type Minimality = "shortest" | "one_minimal" | "as_found";

/**
 * Why a finding was not replayed from a clean start. `max_time`: the time was up before. `interrupted`: the run was interrupted before. `no_target`:
 * no target could be started for it.
 */
export type NotReplayedReason = "max_time" | "interrupted" | "no_target";

/** An action that breaks a rule for the same cause as others. */
export interface AffectedOperation {
  /** The name of the action; empty for the root state. */
  readonly action: string;
  /** The id that the finding of this action would have by itself. Lists of known findings have it. */
  readonly id: string;
  /** The number of committed edges of this action that broke the rule. */
  readonly count: number;
}

/** A rule that was broken, proven by a path. */
export interface Violation {
  /** Stable over runs: a hash of exploration, invariant, last action and the status of its response. */
  readonly id: string;
  /** The name of the rule: an invariant's, or a built-in rule's. */
  readonly invariant: string;
  /** The severity of the violation. */
  readonly severity: Severity;
  /** The problem in one sentence. */
  readonly message: string;
  /**
   * The user's own line where the rule is declared, e.g. `shop.explore.ts:12:5`. For an invariant its declaration, for a built-in rule the
   * declaration of the last action.
   */
  readonly where?: string | undefined;
  /** Action names; the last one triggered it. Empty: the root state breaks the rule. */
  readonly reproductionPath: readonly string[];
  /** The request of the response that the last action returned. */
  readonly request?: ApiRequest | undefined;
  /** The response that the last action returned. */
  readonly response?: RecordedResponse | undefined;
  /** The path as it was replayed from a clean start, step by step; empty when the replay did not show the violation again. */
  readonly steps: readonly RecordedStep[];
  /**
   * The requests that the broken rule made when it was checked after the last step. If it made none, the requests of the other rules that broke with
   * it.
   */
  readonly checks?: readonly RecordedExchange[] | undefined;
  /** The values that the broken rule found and expected, and its queries to stores, at the check after the last step. Absent if there is none of that. */
  readonly evidence?: Evidence | undefined;
  /** How short the path is known to be. */
  readonly minimality?: Minimality | undefined;
  /** The path that the exploration found, when a shorter one is shown. */
  readonly shrunkFrom?: readonly string[] | undefined;
  /** For `seqqa replay`: the paths of action indices by which the data of each step is drawn, where they differ from the path itself. */
  readonly draws?: readonly (readonly number[])[] | undefined;
  /**
   * In the documents of runs: a script for a POSIX shell that sends the requests of the path with curl; see `seqqa replay --emit curl`. It contains
   * nothing that is redacted.
   */
  readonly curl?: string | undefined;
  /**
   * The violation was seen again when the path was replayed from a clean start: on a target that was started for it, or whose stores were restored to
   * the root state. `false`: the violation is flaky, unless it was not replayed.
   */
  readonly confirmed: boolean;
  /** The path was not replayed, and reports call it not confirmed: it is unknown if the violation is flaky. */
  readonly notReplayed?: true;
  /** Why it was not replayed. */
  readonly notReplayedReason?: NotReplayedReason | undefined;
  /** The number of committed edges that broke the same rule with the same last action and status, or of the same cause. */
  readonly count: number;
  /** The cause that the rule gave, in words. */
  readonly cause?: string | undefined;
  /** The actions that broke the rule for the same cause, this one included, if there are several. Each has the id that it would have by itself. */
  readonly operations?: readonly AffectedOperation[] | undefined;
  /** The node that the path leads to, as in {@link ExplorationGraph}; `null` when there is none (a crash, a timeout). */
  readonly state: number | null;
  /** Listed in `known_findings`: shown, but no reason for the run to fail. */
  readonly known?: true;
  /** For `target_crashed`, where seqqa started the target: the state of its process then. */
  readonly target?: TargetEnd | undefined;
  /** The fault that was made during the last step, for a finding of `exploration.faults`. */
  readonly fault?: FaultPoint | undefined;
  /** Where seqqa started the target: the lines that it printed while the last step was replayed and checked, the last 40 at most. */
  readonly printed?: readonly string[] | undefined;
  toString(): string;
}

/**
 * A kind of fault. `error`: a write raises an error in its store. `cut`: the connection of a write is ended before it. `kill`: the target's process
 * is killed before a write, and started again. `lost_answer`: the call is executed, its answer is thrown away, and the same request is sent again.
 */
export type FaultKind = "error" | "cut" | "kill" | "lost_answer";

/** The place of a fault in a call. */
export interface FaultPoint {
  /** The kind of the fault. */
  readonly kind: FaultKind;
  /** The store of the write, by its name in `systems`; absent for `lost_answer`. */
  readonly store?: string | undefined;
  /** The number of the write in the call, counted from 1 in its store; absent for `lost_answer`. */
  readonly write?: number | undefined;
  /** The statement of the write, e.g. `UPDATE orders`; absent for `lost_answer`. */
  readonly statement?: string | undefined;
}

/**
 * The verdict of a fault. `torn_write`: the stores are neither as before the call nor as after it, or a rule breaks. `false_success`: the call was
 * answered as successful, and nothing was done. `no_recovery`: the target does not answer afterwards as it does without the fault.
 */
export type FaultVerdict = "torn_write" | "false_success" | "no_recovery";

/** The extent of the faults that were made. */
export interface FaultCoverage {
  /** Kinds of calls: an action with a status that changes the state or not. */
  readonly calls: number;
  /** Kinds of calls whose writes were counted. */
  readonly counted: number;
  /** Fault points in the counted calls: each write with each kind of fault, and each answer that can be lost. */
  readonly points: number;
  /** Fault points that were tried. */
  readonly tried: number;
  /** Kinds of calls that were not counted, by reason: `same_kind`, `finding`, `brought`, `max_time`, `unsteady`, `call_fails`, ... */
  readonly skipped: Readonly<Record<string, number>>;
  /** Fault points that were not tried or not judged, by reason: `max_time`, `not_failed` (the write was not made again), `no_recovery` (the target did
   * not recover from an earlier fault in the same call), `target_memory` (a restart alone changes what the call does), `lane_lost`, ... */
  readonly skippedPoints: Readonly<Record<string, number>>;
  /** Faults that do not apply, by store and kind, with the reason. */
  readonly missing: Readonly<Record<string, string>>;
  /** Hits that were not seen again on a rebuilt lane. */
  readonly unconfirmed: number;
  /** Milliseconds. */
  readonly durationMs: number;
}

/**
 * The verdict of a race, most severe first. `invariant`: a rule is broken that holds after every order of the calls. `state`: no order of the calls
 * leads to the final state. `responses`: an order leads to the state, but no order gives the responses. `server_error`: an answer 5xx, or no answer,
 * that no order gives.
 */
export type RaceVerdict = "invariant" | "state" | "responses" | "server_error";

/** How requests are made to meet. */
export type RaceDelivery = "http2" | "pipelined" | "last_byte" | "plain" | "gated";

/** The result of one call of a race. */
export interface RaceCall {
  /** The action's name. */
  readonly action: string;
  /** The HTTP status of its response; `null` when there was none. */
  readonly status: number | null;
  /** All requests that the call sent, in order. */
  readonly requests: readonly RecordedExchange[];
}

/** The result of one execution of the calls. */
export interface RaceOutcome {
  /** The order in which the calls were executed, by their places in {@link calls}; `null`: at the same time. */
  readonly order: readonly number[] | null;
  /** One per side, in the order of the race's sides. */
  readonly calls: readonly RaceCall[];
  /** The changes that all calls together made to the state: a line each, `- ` for a value before them, `+ ` for a value after them. */
  readonly changes: readonly string[];
  /** The names of the invariants that do not hold after the calls. */
  readonly broken: readonly string[];
}

/** An order of statements that a store enforced: one call is held before a write until the others are done or wait for it. */
export interface RaceSchedule {
  /** The store that held the call, by its name in `systems`. */
  readonly system: string;
  /** The side that is held, by its place in the race. */
  readonly held: number;
  /** The number of the write, counted from 1, before which the side is held. */
  readonly write: number;
  /** The statement of that write, e.g. `UPDATE orders`. */
  readonly statement: string;
}

/** Calls that, sent at the same moment, gave a result that no order of them gives. */
export interface Race {
  /** Stable over runs: a hash of exploration and both actions. */
  readonly id: string;
  /** The name of the first action. */
  readonly first: string;
  /** The name of the second action; the same where an action races with itself. */
  readonly second: string;
  /** The number of calls that were sent at once: 2, or more of one action. */
  readonly copies: number;
  /** Action names that lead to the state in which the calls were sent. */
  readonly prefix: readonly string[];
  /** The kind of the difference from every order of the calls. */
  readonly verdict: RaceVerdict;
  /** The broken rule, for the verdict `invariant`. */
  readonly invariant?: string | undefined;
  /** The severity of the invariant, else HIGH for `state` and `server_error`, MEDIUM for `responses`. */
  readonly severity: Severity;
  /** The problem in one sentence. */
  readonly message: string;
  /** Where the first action, or the broken invariant, is declared, e.g. `shop.explore.ts:12:5`. */
  readonly where?: string | undefined;
  /** A trial that showed the race. */
  readonly observed: RaceOutcome;
  /** The results of the orders of the calls. */
  readonly allowed: readonly RaceOutcome[];
  /** Trials that showed the race. */
  readonly hits: number;
  /** Trials in which the calls overlapped. */
  readonly trials: number;
  /** Trials in which the calls did not overlap; they prove nothing. */
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
  /** With `gated`: the call that was held, and where. Following the schedule shows the race each time. */
  readonly schedule?: RaceSchedule | undefined;
  /** The steps of the prefix as they were executed on a fresh lane. */
  readonly steps: readonly RecordedStep[];
  /** The first request of each side of the observed trial. */
  readonly requests: readonly ApiRequest[];
  /** The number of kinds of states, and of statuses of the pair, in which the race was seen. */
  readonly count: number;
  /** For `seqqa replay`: like {@link Violation.draws}, for the prefix. */
  readonly draws?: readonly (readonly number[])[] | undefined;
  /** In the documents of runs: a script for a POSIX shell that reproduces the race with curl. It contains nothing that is redacted. */
  readonly curl?: string | undefined;
  /** Listed in `known_findings`: shown, but no reason for the run to fail. */
  readonly known?: true;
  toString(): string;
}

/** Calls that, sent at the same moment, gave a result that no order of them gives, and that are still no finding. */
export interface DismissedRace {
  /** The name of the first action. */
  readonly first: string;
  /** The name of the second action; the same where an action races with itself. */
  readonly second: string;
  /** The number of calls that were sent at once: 2, or more of one action. */
  readonly copies: number;
  /** Action names that lead to the state in which the calls were sent. */
  readonly prefix: readonly string[];
  /** The verdict that the race would have had. */
  readonly verdict: RaceVerdict;
  /** The broken rule, for the verdict `invariant`. */
  readonly invariant?: string | undefined;
  /** The observation, in one sentence. */
  readonly message: string;
  /** The first trial that showed the race. */
  readonly observed: RaceOutcome;
  /** Why the race is no finding, as in {@link RaceCoverage.dismissed}. */
  readonly reason: string;
  /** The number of probes of the pair that were dismissed for this reason. */
  readonly count: number;
}

/** The extent of the probing for races. */
export interface RaceCoverage {
  /** Combinations of a state and a pair of actions that were both applicable there. */
  readonly pairs: number;
  /** Classes of pairs (the pair, its statuses, how each side reacts to the other) that were probed. */
  readonly probed: number;
  /** Concurrent trials in all. */
  readonly trials: number;
  /** Trials that did not overlap. */
  readonly misses: number;
  /**
   * Pairs that were not probed, by reason: `read_only`, `same_class`, `unexplored`, `max_time`, `one_connection` (the target serves one connection at
   * a time), ...
   */
  readonly skipped: Readonly<Record<string, number>>;
  /**
   * Hits that were not reported, by reason: `control` (staggered calls showed them, too), `noise` (repeats of one order differ alike), `idempotent`
   * (a repeated DELETE), `unconfirmed`, `max_time` (pairs that were not confirmed for lack of time), ...
   */
  readonly dismissed: Readonly<Record<string, number>>;
  /** The dismissed races, one per pair of actions, verdict and reason; absent where there were none. */
  readonly dismissedRaces?: readonly DismissedRace[] | undefined;
  /** The number of trials for each way in which requests were made to meet (see {@link RaceDelivery}). */
  readonly deliveries: Readonly<Record<string, number>>;
  /** Milliseconds. */
  readonly durationMs: number;
}

/** The result of exploring a `StateGraph`. */
export interface StateGraphResult extends ExplorationResult {
  readonly unreachedNodes: readonly string[];
  readonly deadEdges: readonly string[];
  readonly deniedChecks: readonly string[];
}

/** Two results that were expected to be the same and differ. */
export interface Divergence {
  /** The kind of comparison. */
  readonly kind: "replay" | "cross_check" | "merge" | "late_write" | "not_put_back" | "lane" | "root" | "time_passed";
  /** Action names that led there from the root. */
  readonly path: readonly string[];
  /** One sentence with the likely cause. */
  readonly message: string;
  /** The differences, a line each, at most 20. */
  readonly differences: readonly string[];
  /** How to solve the problem. */
  readonly hint?: string | undefined;
}

/** A failure of the user's own code, or a failure that kept a step from being judged. */
export interface RunError {
  /** Stable, in upper case. */
  readonly code: string;
  /**
   * The error in one sentence. One message stands for errors that differ in ids and times alone; beyond the first 20 messages of one source, the
   * first one does.
   */
  readonly message: string;
  /** Action names that led there from the root. */
  readonly path: readonly string[];
  /** The action or invariant that raised it. */
  readonly source: string;
  /** The user's own line, e.g. `shop.explore.ts:12:5`. */
  readonly where?: string | undefined;
  /** The stack, reduced to the user's own files. */
  readonly stack?: string | undefined;
  /** The number of committed steps that raised the same error. */
  readonly count: number;
}

/** Counts of an action: how often it applied, was skipped, and was answered with which status. */
export interface ActionCoverage {
  /** Steps in which the action was executed. */
  readonly applied: number;
  /** States in which its precondition was not met. */
  readonly skipped: number;
  /** The number of answers by status. */
  readonly statuses: Readonly<Record<string, number>>;
  /** The role that the action acts as; absent for the world's own client. */
  readonly role?: string | undefined;
  /** A rule added the action to the agent's own, as `ownership` does: a run in which it never applied lacks nothing. */
  readonly brought?: true;
  /** The number of its writes that were answered with 200 to 299, if none of them changed anything that seqqa sees. */
  readonly unseenWrites?: number;
  /** The writes of the action need not change anything. */
  readonly changesNothing?: true;
  /** The result is verified even if the action never applied. */
  readonly mayNeverApply?: true;
  /** The result is verified even if the action was refused each time. */
  readonly mayNeverSucceed?: true;
}

/** The committed graph, as arrays with common indices. Node 0 is the root state. */
export interface ExplorationGraph {
  /** Action names; the other lists name actions by their place here. */
  readonly actions: readonly string[];
  /** The number of states. */
  readonly nodes: number;
  /** The number of transitions. */
  readonly edges: number;
  /** Per node: the node from which it was first reached (-1 for the root). */
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
 * Details of single states and edges, for reports: of the first ones in the order of commits, and of no more than reports can show. Keys are numbers
 * of nodes, and places of edges in {@link ExplorationGraph}.
 */
export interface ExplorationDetails {
  /** The state of a node in lines, each of which stands for itself: a row, a key of the context, a client's token. Cut to a few hundred lines. */
  readonly states: ReadonlyMap<number, readonly string[]>;
  /** The requests that the action of an edge sent, and the answers. */
  readonly exchanges: ReadonlyMap<number, readonly RecordedExchange[]>;
}

/**
 * The kinds of exceptions of a search. `violating_states`: nothing is tried behind a state that breaks a rule. `dropped_field`: a field differs
 * between two executions of one path and is left out of states. `unaudited_reduction`: states were merged on an assumption that no execution tested.
 * `background`: columns that change without a request. `time_passed`: a stored time passed while its state waited. `invisible_state`: calls whose
 * effect no store, context key or probe shows.
 */
export type VerdictExceptionKind =
  | "violating_states"
  | "dropped_field"
  | "unaudited_reduction"
  | "background"
  | "time_passed"
  | "invisible_state";

/** A part of the state space that was left out. */
export interface VerdictException {
  /** Why it was left out. */
  readonly kind: VerdictExceptionKind;
  /** The number of states, fields or calls that were left out. */
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
  /** Audits in which the two states led to different outcomes. */
  readonly refuted: number;
}

/** The result of an exploration without its graph: plain data. */
export interface ExplorationFacts {
  /** How much of the state space the result covers. */
  readonly verdict: Verdict;
  /** Why the result is unverified (exit code 3) although nothing failed, a sentence each; empty if it is verified. */
  readonly unverified: readonly string[];
  /** The assumptions on which states were merged. */
  readonly reductions: readonly Reduction[];
  /** Distinct committed states, the root included. */
  readonly statesVisited: number;
  /** Distinct committed (state, action) pairs that were executed, self-loops included. */
  readonly transitions: number;
  /** Committed executions, which the budget counts. */
  readonly steps: number;
  /** Actions whose precondition was not met. */
  readonly skipped: number;
  /** Actions executed again to get to a node. */
  readonly replayed: number;
  /** Actions executed a second time to compare their outcomes: for a sample of states, reached in another way than before. */
  readonly crossChecked: number;
  /** Actions executed ahead and not committed. */
  readonly speculative: number;
  /** States that wait to be expanded, or were expanded in part or not at all. */
  readonly open: number;
  /** Steps from the root to the deepest state. */
  readonly maxDepthReached: number;
  /** All states up to this depth were found, and all states at smaller depths were expanded. */
  readonly completeToDepth: number;
  /** How `setup` and the logins of roles led to the root state, on the first lane; absent where there are none. */
  readonly setup?: RecordedStep | undefined;
  /** Rules that were broken, one entry per rule, last action and status. */
  readonly violations: readonly Violation[];
  /** Calls that, sent at the same time, gave a result that no order gives; one entry per pair of actions, with the worst verdict that was seen. */
  readonly races: readonly Race[];
  /** The extent of the probing for races; absent where it was off. */
  readonly raceCoverage?: RaceCoverage | undefined;
  /** The extent of the faults that were made; absent where they were off. */
  readonly faultCoverage?: FaultCoverage | undefined;
  /** Pairs of results that should have been the same and differ. */
  readonly divergences: readonly Divergence[];
  /** Failures of the user's own code, or failures that kept a step from being judged. */
  readonly errors: readonly RunError[];
  /** Why the exploration ended. */
  readonly stopReason: StopReason;
  /** The part of the state space that was tried. */
  readonly coverage: {
    /** By the action's name. */
    readonly actions: Readonly<Record<string, ActionCoverage>>;
    /** The share of (state, action) pairs that were executed or skipped. */
    readonly pairs: number;
  };
  /** Milliseconds that the exploration took, from the first target's start. */
  readonly durationMs: number;
  /** The order in which states were explored. */
  readonly strategy?: StrategyKind | undefined;
  /** The seed of all random choices. */
  readonly seed: number;
  /** Hash of the committed sequence: parents, actions, outcomes as status classes, findings. */
  readonly digest: string;
  /** Upper bound of the probability that two of the visited states share a 64-bit fingerprint (birthday bound n(n-1)/2^65). */
  readonly collisionProbability: number;
  /**
   * Committed steps that reached a state with the fingerprint of another one, according to a second hash of 16 bits. The two states count as one, so
   * parts may be missing.
   */
  readonly collisions: number;
  /** States with more symmetric ids than the canonical form tries; each counts as a state of its own. */
  readonly bounded: number;
  /** Notes on how far the result can be trusted. */
  readonly notes: readonly string[];
  /** The names of the declared invariants, in the order of declaration. */
  readonly invariants: readonly string[];
  /** The rules that could not be judged in some step, or at all; absent if there are none. The notes say why. */
  readonly unjudgedRules?: readonly string[] | undefined;
  /**
   * For a `StateGraph`: nodes that the world was never at. If the exploration was exhaustive, and no finding or error cut off a way to such a node,
   * the node is a violation `<node>_unreached`, too.
   */
  readonly unreachedNodes?: readonly string[] | undefined;
  /**
   * For a `StateGraph`: the names of edges that never applied at a node that was reached. Where that is certain, they are violations `<edge>_dead`,
   * too.
   */
  readonly deadEdges?: readonly string[] | undefined;
  /** For a `StateGraph`: nodes whose `check` denied a state; each has a violation `<node>_denied`. */
  readonly deniedChecks?: readonly string[] | undefined;
}

/** The result of an exploration. */
export interface ExplorationResult extends ExplorationFacts {
  readonly graph: ExplorationGraph;
  /** Plain data: the members of {@link ExplorationFacts} and the graph with plain lists. */
  toJSON(): object;
}
