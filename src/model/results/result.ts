import type { OperationCoverage } from "./coverage.ts";
import type { ApiRequest } from "../http/response.ts";
import type { Severity } from "../declare/severity.ts";
import type { StrategyKind } from "../declare/search/strategy.ts";
import type { TargetEnd } from "./target-end.ts";

/** The reason why an exploration ended. */
export type StopReason = "exhausted" | "max_steps" | "max_depth" | "max_time" | "first_violation" | "interrupted";

/** A response in the form that reports show. */
export interface RecordedResponse {
  /** The HTTP status. */
  readonly status: number;
  /** The headers. Names are in lower case; several values of one name are joined with `", "`. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body as text. */
  readonly body: string;
}

/** A request with its response, or with the reason why it has none. */
export interface RecordedExchange {
  /** The request that was sent. */
  readonly request: ApiRequest;
  /** The response; absent if there was none. */
  readonly response?: RecordedResponse | undefined;
  /** The reason why there was no response. */
  readonly error?: string | undefined;
  /** The milliseconds from sending the request until the response was read. */
  readonly durationMs: number;
}

/** A step of a reproduction path, with all its requests. */
export interface RecordedStep {
  /** The name of the action. */
  readonly action: string;
  /** The HTTP status of the response that the action returned; `null` if it returned none. */
  readonly status: number | null;
  /** All requests of the step, in order. */
  readonly requests: readonly RecordedExchange[];
  /** The changes that the step made to the state, one line each: `- ` for a value before the step, `+ ` for a value after it. */
  readonly changes?: readonly string[] | undefined;
  /**
   * The state after the step, one line for each value, at most 200 lines. The lines of rows that differ from the root state begin with `+ ` (added)
   * or `- ` (removed). Generated values have the same names as in `changes`. For `setup`: the root state with all rows.
   */
  readonly state?: readonly string[] | undefined;
  /** The lines that the target printed during the step, at most the last 40. Absent if seqqa did not start the target. */
  readonly printed?: readonly string[] | undefined;
}

/** A query that the check of a rule sent to a store. */
export interface RecordedQuery {
  /** The name of the store in the World, e.g. `db`. */
  readonly store: string;
  /** The SQL text that the check passed, with placeholders. */
  readonly sql: string;
  /** The values of the placeholders; absent if there are none. */
  readonly params?: unknown;
  /** The first rows, at most 20, as objects with a property for each column. */
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  /** The number of all rows. */
  readonly total: number;
}

/** The data on which a rule based its result, as JSON-like data. */
export interface Evidence {
  /** The `actual` of the check's detailed result; absent if there is none. */
  readonly actual?: unknown;
  /** The `expected` of the check's detailed result; absent if there is none. */
  readonly expected?: unknown;
  /** The queries that the check sent to stores, in order. */
  readonly queries: readonly RecordedQuery[];
}

/**
 * The proven shortness of a reproduction path. `shortest`: no shorter sequence of actions shows the finding. `one_minimal`: if any single step is
 * left out, the finding does not reproduce. The last step is never left out, because the finding is named after it. `as_found`: neither is proven,
 * because the time limit was reached first, or because a shortened path did not reproduce the finding from the root state.
 */
export type Minimality = "shortest" | "one_minimal" | "as_found";

/**
 * The reason why a finding was not replayed from the root state. `max_time`: the time limit was reached. `interrupted`: the run was interrupted.
 * `no_target`: no target could be started for the replay.
 */
export type NotReplayedReason = "max_time" | "interrupted" | "no_target";

/** An action that breaks a rule for the same cause as other actions. */
export interface AffectedOperation {
  /** The name of the action; empty for the root state. */
  readonly action: string;
  /** The id that a separate finding of this action would have. Lists of known findings contain this id. */
  readonly id: string;
  /** The number of committed edges of this action that broke the rule. */
  readonly count: number;
}

/** A broken rule, with the path that shows it. */
export interface Violation {
  /** An id that is stable over runs: a hash of the exploration, the invariant, the last action and the status of its response. */
  readonly id: string;
  /** The name of the broken rule: an invariant, or a built-in rule. */
  readonly invariant: string;
  /** The severity of the violation. */
  readonly severity: Severity;
  /** The problem, in one sentence. */
  readonly message: string;
  /** The line in the user's code, e.g. `shop.explore.ts:12:5`: the declaration of the invariant, or of the last action for a built-in rule. */
  readonly where?: string | undefined;
  /** The names of the actions on the path, in order. The last action triggered the violation. Empty if the root state breaks the rule. */
  readonly reproductionPath: readonly string[];
  /** The request of the response that the last action returned. */
  readonly request?: ApiRequest | undefined;
  /** The response that the last action returned. */
  readonly response?: RecordedResponse | undefined;
  /** The steps of the path as they were replayed from the root state. Empty if the replay did not show the violation again. */
  readonly steps: readonly RecordedStep[];
  /**
   * The requests that the broken rule made in its check after the last step. If the rule made none: the requests of the other rules that were broken
   * after the same step.
   */
  readonly checks?: readonly RecordedExchange[] | undefined;
  /** The values that the broken rule found and expected, and its queries to stores, after the last step. Absent if there are none. */
  readonly evidence?: Evidence | undefined;
  /** The proven shortness of the path. */
  readonly minimality?: Minimality | undefined;
  /** The path that the exploration found, if a shorter path is shown. */
  readonly shrunkFrom?: readonly string[] | undefined;
  /**
   * For each step: the path that seeds its test data, as action indices. Absent if the reproduction path itself seeds the data. Used by `seqqa
   * replay`.
   */
  readonly draws?: readonly (readonly number[])[] | undefined;
  /**
   * A POSIX shell script that sends the requests of the path with curl; see `seqqa replay --emit curl`. Set only in run documents such as
   * `results.json`. The script does not contain redacted values.
   */
  readonly curl?: string | undefined;
  /**
   * `true` if a replay from the root state showed the violation again, on a new target or on restored stores. `false` if a replay did not show it
   * (the violation is flaky), or if there was no replay (see {@link notReplayed}).
   */
  readonly confirmed: boolean;
  /** Set if the path was not replayed. Reports call the violation not confirmed, because it may be flaky. */
  readonly notReplayed?: true | undefined;
  /** The reason why the path was not replayed. */
  readonly notReplayedReason?: NotReplayedReason | undefined;
  /** The number of committed edges that broke the same rule with the same last action and status, or with the same cause. */
  readonly count: number;
  /** The cause that the rule gave, in words. */
  readonly cause?: string | undefined;
  /** All actions that broke the rule for the same cause, including this one. Absent if there is only one. */
  readonly operations?: readonly AffectedOperation[] | undefined;
  /** The number of the node that the path leads to; see {@link ExplorationGraph}. `null` if there is no such node (a crash, a timeout). */
  readonly state: number | null;
  /** Set if the violation is listed in `known_findings`. Reports show it, but the run does not fail because of it. */
  readonly known?: true | undefined;
  /**
   * The state of the target's process, for `target_crashed`, and for a fault after which the process ended by itself. Absent if seqqa did not start
   * the target.
   */
  readonly target?: TargetEnd | undefined;
  /** The fault that was injected during the last step, for a finding of `exploration.faults`. */
  readonly fault?: FaultPoint | undefined;
  /**
   * The lines that the target printed while the last step was replayed and checked, at most the last 40. Absent if seqqa did not start the target.
   */
  readonly printed?: readonly string[] | undefined;
  toString(): string;
}

/**
 * A kind of fault. `error`: a write raises an error in its store. `cut`: the connection of a write is closed before the write. `kill`: the target's
 * process is killed before a write, and started again. `lost_answer`: the call is executed, its answer is dropped, and the same request is sent
 * again.
 */
export type FaultKind = "error" | "cut" | "kill" | "lost_answer";

/** A fault, and the write of the call at which the fault was injected. */
export interface FaultPoint {
  /** The kind of the fault. */
  readonly kind: FaultKind;
  /** The name of the store that the write belongs to, as in `systems`; absent for `lost_answer`. */
  readonly store?: string | undefined;
  /** The number of the write, counted from 1 within the call and its store; absent for `lost_answer`. */
  readonly write?: number | undefined;
  /** The statement of the write, e.g. `UPDATE orders`; absent for `lost_answer`. */
  readonly statement?: string | undefined;
}

/**
 * The verdict of a fault. `torn_write`: the stores match neither the state before the call nor the state after it, or a rule is broken.
 * `repeated_write`: a request that may be repeated was sent again after its answer was lost, and changed the stores again or broke a rule.
 * `false_success`: the answer reported success, but nothing was changed. `no_recovery`: afterwards, the target does not answer as it does without the
 * fault.
 */
export type FaultVerdict = "torn_write" | "repeated_write" | "false_success" | "no_recovery";

/** Counts of the faults that were injected, and of the faults that were skipped. */
export interface FaultCoverage {
  /**
   * The number of kinds of calls. Two calls are of the same kind if they have the same action and the same status, and both or neither changed the
   * state.
   */
  readonly calls: number;
  /** The number of kinds of calls in which seqqa found at least one fault point. */
  readonly counted: number;
  /** The number of all fault points in the counted kinds of calls: each write with each kind of fault, and each answer that can be lost. */
  readonly points: number;
  /** The number of fault points that were tried. */
  readonly tried: number;
  /**
   * The number of calls without tried faults, by reason: `same_kind` (another call of this kind was chosen), `finding` (the call leads to no state,
   * or has a finding of high or critical severity that is not listed in `known_findings`), `brought` (a rule added the action), `no_write` (there is
   * no fault point), `max_time`, `unsteady` (two executions without a fault differ), `call_fails`, ...
   */
  readonly skipped: Readonly<Record<string, number>>;
  /**
   * The number of fault points that were not tried or not judged, by reason: `max_time`, `not_failed` (the repeated call did not make the write),
   * `no_recovery` (the target did not recover from an earlier fault in the same call), `target_memory` (the call behaves differently after a restart
   * of the target, even without a fault), `refused` (the target still refused calls with 429, or 503 and `Retry-After`, 10 seconds after the fault),
   * `lane_lost`, ...
   */
  readonly skippedPoints: Readonly<Record<string, number>>;
  /** The reasons why kinds of faults cannot be injected at a store. The keys consist of the name of the store and the kind, e.g. `db kill`. */
  readonly missing: Readonly<Record<string, string>>;
  /** The number of problems that a fault caused once, but not again on a rebuilt lane. Such problems are not reported. */
  readonly unconfirmed: number;
  /** The duration, in milliseconds. */
  readonly durationMs: number;
}

/**
 * The verdict of a race, most severe first. `invariant`: a rule is broken that holds after every order of the calls. `state`: no order of the calls
 * leads to the final state. `responses`: an order leads to the final state, but no such order gives the same responses. `server_error`: a call got a
 * 5xx answer, or no answer, and no order of the calls gives that result.
 */
export type RaceVerdict = "invariant" | "state" | "responses" | "server_error";

/**
 * The method by which the calls of a race reach the target at the same time. `http2`: streams of one HTTP/2 connection. `pipelined`: one write to an
 * HTTP/1.1 connection. `last_byte`: separate connections, on which the ends of all requests are sent together. `plain`: separate connections, on
 * which whole requests are sent together. `gated`: a store holds one call before a write.
 */
export type RaceDelivery = "http2" | "pipelined" | "last_byte" | "plain" | "gated";

/** The result of one call of a race. */
export interface RaceCall {
  /** The name of the action. */
  readonly action: string;
  /** The HTTP status of the call's response; `null` if there was none. */
  readonly status: number | null;
  /** All requests of the call, in order. */
  readonly requests: readonly RecordedExchange[];
}

/** The result of executing all calls of a race once. */
export interface RaceOutcome {
  /** The order in which the calls were executed, as indices into {@link calls}; `null` if they were sent at the same time. */
  readonly order: readonly number[] | null;
  /** The results of the calls, in the order in which the race lists its calls. */
  readonly calls: readonly RaceCall[];
  /** The changes that all calls together made to the state, one line each: `- ` for a value before the calls, `+ ` for a value after them. */
  readonly changes: readonly string[];
  /** The names of the invariants that do not hold after the calls. */
  readonly broken: readonly string[];
}

/** An order of statements that a store enforced. One call is held before a write until the other calls have ended or wait for the held call. */
export interface RaceSchedule {
  /** The store that held the call, by its name in `systems`. */
  readonly system: string;
  /** The index of the held call in the race's list of calls, from 0. */
  readonly held: number;
  /** The number of the write before which the call is held, counted from 1. */
  readonly write: number;
  /** The statement of that write, e.g. `UPDATE orders`. */
  readonly statement: string;
}

/** A race: the calls were sent at the same time, and their result is one that no order of the calls gives. */
export interface Race {
  /** An id that is stable over runs: a hash of the exploration and both actions. */
  readonly id: string;
  /** The name of the first action. */
  readonly first: string;
  /** The name of the second action. It equals the first if an action races with itself. */
  readonly second: string;
  /** The number of calls that were sent at once: 2, or more if all are the same action. */
  readonly copies: number;
  /** The names of the actions that lead to the state in which the calls were sent. */
  readonly prefix: readonly string[];
  /** The way in which the result of the simultaneous calls differs from the results of all orders of the calls. */
  readonly verdict: RaceVerdict;
  /**
   * The broken rule. Set for the verdict `invariant`. Also set if a rule asked to probe this pair, and more of the simultaneous calls succeeded than
   * in any order of the calls.
   */
  readonly invariant?: string | undefined;
  /** The severity: the severity of the broken rule; HIGH for `state` and `server_error`; MEDIUM for `responses`. */
  readonly severity: Severity;
  /** The problem, in one sentence. */
  readonly message: string;
  /** The line in the user's code that declares the broken invariant or the first action, e.g. `shop.explore.ts:12:5`. */
  readonly where?: string | undefined;
  /** A trial that showed the race. */
  readonly observed: RaceOutcome;
  /** The results of executing the calls one after another, one entry for each order. */
  readonly allowed: readonly RaceOutcome[];
  /** The number of trials that showed the race. */
  readonly hits: number;
  /** The number of trials in which the calls overlapped. */
  readonly trials: number;
  /** The number of trials in which the calls did not overlap. Such trials prove nothing. */
  readonly misses: number;
  /** The 95 % confidence interval of the share of trials that showed the race (Wilson score interval). */
  readonly rate: {
    /** The lower bound, 0 to 1. */
    readonly low: number;
    /** The upper bound, 0 to 1. */
    readonly high: number;
  };
  /** The method by which the calls reached the target at the same time. */
  readonly delivery: RaceDelivery;
  /**
   * The call that was held, and the write before which it was held; only with the delivery `gated`. Following the schedule shows the race each time.
   */
  readonly schedule?: RaceSchedule | undefined;
  /** The steps of the prefix as they were executed on a fresh lane. */
  readonly steps: readonly RecordedStep[];
  /** The first request of each call in the observed trial. */
  readonly requests: readonly ApiRequest[];
  /** The number of probed classes of this pair of actions that showed a race; see {@link RaceCoverage.probed}. */
  readonly count: number;
  /**
   * For each step of the prefix, and then for the calls: the path that seeds the test data, as action indices; see {@link Violation.draws}. Calls
   * that draw different test data have one entry each.
   */
  readonly draws?: readonly (readonly number[])[] | undefined;
  /**
   * A POSIX shell script that reproduces the race with curl. Set only in run documents such as `results.json`. The script does not contain redacted
   * values.
   */
  readonly curl?: string | undefined;
  /** Set if the race is listed in `known_findings`. Reports show it, but the run does not fail because of it. */
  readonly known?: true | undefined;
  toString(): string;
}

/** A race that is not reported as a finding, although the result of its calls is one that no order of the calls gives. */
export interface DismissedRace {
  /** The name of the first action. */
  readonly first: string;
  /** The name of the second action. It equals the first if an action races with itself. */
  readonly second: string;
  /** The number of calls that were sent at once: 2, or more if all are the same action. */
  readonly copies: number;
  /** The names of the actions that lead to the state in which the calls were sent. */
  readonly prefix: readonly string[];
  /** The verdict that the race would have as a finding. */
  readonly verdict: RaceVerdict;
  /** The broken rule, for the verdict `invariant`. */
  readonly invariant?: string | undefined;
  /** The observed result of the race, in one sentence. */
  readonly message: string;
  /** The first trial that showed the race. */
  readonly observed: RaceOutcome;
  /** The reason why the race is not a finding, as in {@link RaceCoverage.dismissed}. */
  readonly reason: string;
  /** The number of probes of the pair that were dismissed for this reason. */
  readonly count: number;
}

/** Counts of the pairs that were probed for races, and of the pairs that were skipped. */
export interface RaceCoverage {
  /**
   * The number of combinations of a state and a pair of actions that both apply in that state. If only the pairs of actions that rules ask for were
   * probed, only these pairs count; see {@link asked}.
   */
  readonly pairs: number;
  /** If only the pairs of actions that rules ask for were probed: the ids of the races that the run could find. Absent if all pairs were probed. */
  readonly asked?: readonly string[] | undefined;
  /**
   * The number of classes of pairs that were probed. Pairs of one class have the same two actions, the same statuses (when an action is executed
   * alone, and when it is executed after the other action), and the same kinds of effects.
   */
  readonly probed: number;
  /** The number of all concurrent trials. */
  readonly trials: number;
  /** The number of trials in which the calls did not overlap. */
  readonly misses: number;
  /**
   * The number of pairs that were not probed, or not with all their test data, by reason: `read_only`, `same_class` (a pair of this class was chosen
   * before), `finding` (a call leads to no state, or has a finding of high or critical severity that is not listed in `known_findings`), `max_time`,
   * `one_connection` (the target serves one connection at a time), ...
   */
  readonly skipped: Readonly<Record<string, number>>;
  /**
   * The number of races that were seen but not reported, by reason: `control` (calls sent with a delay between them showed the same result),
   * `control_overlaps` (these calls still overlapped), `noise` (repeated executions of one order differ in the same way), `idempotent` (a repeated
   * DELETE), `not_repeated` (a rule broke, and held in all trials on a rebuilt lane), `unconfirmed`, `max_time` (there was no time to confirm the
   * pair), ...
   */
  readonly dismissed: Readonly<Record<string, number>>;
  /** The dismissed races: one for each pair of actions, verdict and reason. Absent if there are none. */
  readonly dismissedRaces?: readonly DismissedRace[] | undefined;
  /** The number of trials by {@link RaceDelivery}. */
  readonly deliveries: Readonly<Record<string, number>>;
  /** The duration, in milliseconds. */
  readonly durationMs: number;
}

/** The result of exploring a `StateGraph`. */
export interface StateGraphResult extends ExplorationResult {
  readonly unreachedNodes: readonly string[];
  readonly deadEdges: readonly string[];
  readonly deniedChecks: readonly string[];
}

/** Two results that were expected to be equal but differ. */
export interface Divergence {
  /**
   * `replay`: a path that was executed again led to another state. `cross_check`: an action had another outcome when it was executed a second time.
   * `merge`: two paths led to the same state, but actions had different outcomes after them. `late_write`: a store changed after the answer.
   * `not_put_back`: a state could not be restored. `lane`: lanes failed repeatedly. `root`: a rebuilt lane has another root state. `time_passed`: a
   * time that is stored in a state was still in the future when the state was first reached, and in the past when it was reached again.
   */
  readonly kind: "replay" | "cross_check" | "merge" | "late_write" | "not_put_back" | "lane" | "root" | "time_passed";
  /** The names of the actions from the root state. */
  readonly path: readonly string[];
  /** The difference and its likely cause, in one sentence. */
  readonly message: string;
  /** The differences, one line each, at most 20. */
  readonly differences: readonly string[];
  /** For `late_write`: the fields that were written, for example `orders.status`. Absent if seqqa does not know them. */
  readonly fields?: readonly string[] | undefined;
  /** A sentence that says how to solve the problem. */
  readonly hint?: string | undefined;
}

/** An error that the user's own code threw, or an error that prevented the judgement of a step. */
export interface RunError {
  /** The code of the error: stable, in upper case. */
  readonly code: string;
  /**
   * The error, in one sentence. Errors that differ only in ids and times share one message. For each code and source, only the first 20 different
   * messages are listed. Further errors are counted as errors with the last of these messages.
   */
  readonly message: string;
  /** The names of the actions from the root state. */
  readonly path: readonly string[];
  /** The action or invariant that raised the error. */
  readonly source: string;
  /** The line in the user's code, e.g. `shop.explore.ts:12:5`. */
  readonly where?: string | undefined;
  /** The stack trace, reduced to the user's own files. */
  readonly stack?: string | undefined;
  /** The number of committed steps that raised the same error. */
  readonly count: number;
}

/** The counts of one action: how often it was executed, skipped, and answered with each status. */
export interface ActionCoverage {
  /** The number of steps in which the action was executed. */
  readonly applied: number;
  /** The number of states in which the action did not apply: its precondition was not met, or it returned `null`. */
  readonly skipped: number;
  /** The number of answers by status. */
  readonly statuses: Readonly<Record<string, number>>;
  /** The number of 2xx answers whose body refuses the request: GraphQL errors without data, `{ "ok": false }` and the like. Absent if 0. */
  readonly refusedInBody?: number;
  /** The role that the action uses; absent for the world's own client. */
  readonly role?: string | undefined;
  /** Set if a rule such as `ownership` added the action to the user's actions. The result may be verified even if such an action never applied. */
  readonly brought?: true;
  /** The number of the action's writes that were answered with 2xx or a redirect. Set only if no such write changed anything that seqqa sees. */
  readonly unseenWrites?: number;
  /** Set if the action is declared with `changesNothing`: its POST, PUT, PATCH or DELETE need not change anything. */
  readonly changesNothing?: true;
  /** Set if the result may be verified even if the action never applied. */
  readonly mayNeverApply?: true;
  /** Set if the result may be verified even if the action was refused each time. */
  readonly mayNeverSucceed?: true;
  /** Set if all statuses in the action's `expectedStatus` are 400 or above. Such an action counts as working if it is refused. */
  readonly mustBeRefused?: true;
}

/** The committed graph, as parallel arrays: one group with an entry per node, one with an entry per edge. Node 0 is the root state. */
export interface ExplorationGraph {
  /** The names of the actions. Other lists refer to actions by their index in this list. */
  readonly actions: readonly string[];
  /** The number of states. */
  readonly nodes: number;
  /** The number of transitions. */
  readonly edges: number;
  /** The node from which each node was first reached; -1 for the root. */
  readonly parents: Int32Array;
  /** The index of the action that led to each node from its parent; -1 for the root. */
  readonly parentActions: Int32Array;
  readonly depths: Int32Array;
  readonly edgeFrom: Int32Array;
  readonly edgeAction: Int32Array;
  /** The node that each edge leads to; -1 if the outcome has no state (an error, a crash, a timeout). */
  readonly edgeTo: Int32Array;
  readonly edgeStatus: Int32Array;
  /** Returns the names of the actions from the root to a node. */
  path(node: number): readonly string[];
}

/**
 * Details of single states and edges, for reports. Only the states and edges that were committed first have details, because reports cannot show
 * more. States are keyed by node number, edges by their index in {@link ExplorationGraph}.
 */
export interface ExplorationDetails {
  /** The state of a node, one line for each row, context key or client token. At most a few hundred lines are kept. */
  readonly states: ReadonlyMap<number, readonly string[]>;
  /** The requests of an edge's action, with their answers. */
  readonly exchanges: ReadonlyMap<number, readonly RecordedExchange[]>;
}

/**
 * The reason why a search left out a part of the state space. `violating_states`: nothing is tried after a state that breaks a rule. `dropped_field`:
 * a field differs between two executions of one path, so states are compared without it. `unaudited_reduction`: states were merged on an assumption
 * that no execution tested. `background`: columns that change without a request are left out of states. `time_passed`: a stored time passed while its
 * state waited to be expanded. `invisible_state`: calls have effects that no store, context key or probe shows. `divergence`: the run has
 * divergences, so states may be missing.
 */
export type VerdictExceptionKind =
  | "violating_states"
  | "dropped_field"
  | "unaudited_reduction"
  | "background"
  | "time_passed"
  | "invisible_state"
  | "divergence";

/** A part of the state space that was left out. */
export interface VerdictException {
  /** The reason why the part was left out. */
  readonly kind: VerdictExceptionKind;
  /** The number of states, fields or calls that were left out. */
  readonly count: number;
  /** A phrase that follows "exhaustive except", e.g. `states behind 3 violating states`. */
  readonly text: string;
}

/** A statement about how much of the state space a result covers. */
export interface Verdict {
  /** `true` if every reachable state was explored, without any exception. */
  readonly complete: boolean;
  /** The statement in one line, e.g. `exhaustive except states behind 3 violating states (21 states, 0 open)`. */
  readonly text: string;
  /** The parts that were left out. Empty if only a budget ended the search. */
  readonly exceptions: readonly VerdictException[];
}

/** Merges of states that differ only in the order in which their values were generated. */
export interface Reduction {
  /** The difference that is assumed not to matter, e.g. `the order of orders.id`. */
  readonly reason: string;
  /** The number of steps that led to a state which differs from a known state only in the order of generated values. */
  readonly merges: number;
  /** The number of merges that were tested: every action was executed in both states, and the outcomes were compared. */
  readonly audited: number;
  /** The number of tested merges in which the two states led to different outcomes. */
  readonly refuted: number;
}

/** The result of an exploration without its graph, as plain data. */
export interface ExplorationFacts {
  /** A statement about how much of the state space the result covers. */
  readonly verdict: Verdict;
  /** The reasons why the result is unverified (exit code 3) although nothing failed, one sentence each. Empty if the result is verified. */
  readonly unverified: readonly string[];
  /** The assumptions under which states were merged. */
  readonly reductions: readonly Reduction[];
  /** The number of distinct committed states, including the root. */
  readonly statesVisited: number;
  /** The number of distinct committed (state, action) pairs that were executed, including self-loops. */
  readonly transitions: number;
  /** The number of committed executions. `maxSteps` limits this number. */
  readonly steps: number;
  /** The number of committed (state, action) pairs in which the action did not apply. */
  readonly skipped: number;
  /** The number of actions that were executed again to bring a lane to a node. */
  readonly replayed: number;
  /**
   * The number of actions that were executed a second time to compare their outcomes. For this cross-check, a sample of states is reached in another
   * way.
   */
  readonly crossChecked: number;
  /** The number of actions that were executed ahead of their turn and never committed. */
  readonly speculative: number;
  /** The number of states that were not expanded, or only in part. */
  readonly open: number;
  /** The number of steps from the root to the deepest state. */
  readonly maxDepthReached: number;
  /** The depth up to which all states were found. All states at smaller depths were expanded. */
  readonly completeToDepth: number;
  /** The execution of `setup` and of the logins of roles on the first lane; absent if there are none. */
  readonly setup?: RecordedStep | undefined;
  /** The broken rules, one entry for each rule, last action and status. */
  readonly violations: readonly Violation[];
  /** The races that were found: one entry for each pair of actions, with the worst verdict that was seen. */
  readonly races: readonly Race[];
  /** Counts of the pairs that were probed, and of the pairs that were skipped; absent if probing was off. */
  readonly raceCoverage?: RaceCoverage | undefined;
  /** Counts of the faults that were injected, and of the faults that were skipped; absent if faults were off. */
  readonly faultCoverage?: FaultCoverage | undefined;
  /** Pairs of results that were expected to be equal but differ. */
  readonly divergences: readonly Divergence[];
  /** Errors that the user's own code threw, and errors that prevented the judgement of a step. */
  readonly errors: readonly RunError[];
  /** The reason why the exploration ended. */
  readonly stopReason: StopReason;
  /** The coverage of actions, of (state, action) pairs, and of the OpenAPI description. */
  readonly coverage: {
    /** The counts by the name of the action. */
    readonly actions: Readonly<Record<string, ActionCoverage>>;
    /** The share of (state, action) pairs that were executed or skipped, 0 to 1. */
    readonly pairs: number;
    /** The operations of the OpenAPI description, with their statuses; absent without `coverage.openapi`. */
    readonly operations?: readonly OperationCoverage[] | undefined;
  };
  /** The duration in milliseconds, from the start of the first target. */
  readonly durationMs: number;
  /** The order in which states were explored. */
  readonly strategy?: StrategyKind | undefined;
  /** The seed of all random choices. */
  readonly seed: number;
  /**
   * `true` if the target compares times in whole seconds, so that each step after a step that wrote a time waited for the next second. A replay of
   * the findings must wait, too. Absent for other targets.
   */
  readonly nextSecond?: true | undefined;
  /** A hash of the committed sequence: parents, actions, outcomes as status classes, findings. */
  readonly digest: string;
  /** An upper bound for the probability that two of the visited states share a 64-bit fingerprint (birthday bound n(n-1)/2^65). */
  readonly collisionProbability: number;
  /**
   * The number of committed steps whose state has the fingerprint of another state but a different second hash (16 bits). The two states count as
   * one, so parts of the state space may be missing.
   */
  readonly collisions: number;
  /** The number of states with more interchangeable ids than seqqa can order. Each of these states counts as a separate state. */
  readonly bounded: number;
  /** Notes on how far the result can be trusted. */
  readonly notes: readonly string[];
  /** The names of the declared invariants, in the order of declaration. */
  readonly invariants: readonly string[];
  /**
   * The names of the rules that could not be judged in any step, or in any step of an action that the rule names. Absent if there are none. The notes
   * give the reasons. Exception: in a shard, and in a run that ended early, a rule whose actions never worked has no note.
   */
  readonly unjudgedRules?: readonly string[] | undefined;
  /**
   * For a shard: the actions of each rule that judges only the steps of certain actions. After a merge, a rule none of whose actions worked in any
   * shard is one of `unjudgedRules`.
   */
  readonly ruleSubjects?: Readonly<Record<string, readonly string[]>> | undefined;
  /** For a shard: the actions after which each rule with `when` is checked. */
  readonly ruleActions?: Readonly<Record<string, readonly string[]>> | undefined;
  /** For a shard: `false` if `exploration.require_all_actions` is `false`. The merged result may then be verified although a rule judged nothing. */
  readonly requireAllActions?: false | undefined;
  /**
   * For a `StateGraph`: nodes that were never reached. Such a node is also a violation `<node>_unreached` if the exploration was exhaustive and no
   * finding or error blocked a path to the node.
   */
  readonly unreachedNodes?: readonly string[] | undefined;
  /**
   * For a `StateGraph`: the names of edges that never applied, although the node where they start was reached. If it is certain that an edge cannot
   * apply, there is also a violation `<edge>_dead`.
   */
  readonly deadEdges?: readonly string[] | undefined;
  /** For a `StateGraph`: nodes whose `check` returned `false` in a state. Each has a violation `<node>_denied`. */
  readonly deniedChecks?: readonly string[] | undefined;
}

/** The result of an exploration. */
export interface ExplorationResult extends ExplorationFacts {
  readonly graph: ExplorationGraph;
  /** Returns plain data: the members of {@link ExplorationFacts}, and the graph with plain arrays. */
  toJSON(): object;
}
