import type { FindingEvent } from "../../messages/lane-messages.ts";
import type { RaceVerdict } from "../../model/results/result.ts";
import { Severity, severityRank } from "../../model/declare/severity.ts";
import type { Facts } from "../../state/canonical/facts.ts";
import { answerText, isSameAnswer } from "./answers.ts";
import { areAlike, type CallEnd, type Execution } from "./execution.ts";
import { LaterReadings } from "./later-reading.ts";
import { pageOf } from "./responses-agree.ts";
import { isUnauthorized, mayEndItself } from "./ends-itself.ts";
import { footprint, onlyRemoves } from "./footprint.ts";
import { haveSameRefusals, isRefusedWrite, NO_REFUSALS, type Refusals } from "./refused-requests.ts";
import type { States } from "./states-agree.ts";
import { differenceText } from "./times.ts";

/** A race that a trial shows: a result that no order of the calls gives. */
export interface Judgement {
  readonly verdict: RaceVerdict;
  readonly invariant: string | undefined;
  readonly severity: Severity;
  readonly message: string;
  /**
   * The reason why the race is not reported. `idempotent`: two DELETE requests for one thing, two calls that end the session (such as logouts), or two
   * equal changes of the password were both answered as successful.
   */
  readonly excused?: "idempotent";
}

export interface Measure {
  readonly before: Facts;
  /** The results of the calls executed one after another, in every order. */
  readonly orders: readonly Execution[];
  /** Executes the calls one after another in every order, but leaves out the calls in `sides`. Used only if a call was refused or failed. */
  readonly without: (sides: readonly number[]) => Promise<readonly Execution[]>;
  /** Executes the calls one after another in every order, without sending their refused requests. Used only if a call sends several requests. */
  readonly refusing: (refusals: Refusals) => Promise<readonly Execution[]>;
  /**
   * Executes the calls with their requests interleaved, without sending their refused requests. Resolves to `undefined` if there are too many ways to
   * interleave. Used only if a call sends several requests.
   */
  readonly interleaved: (requests: readonly number[], refusals: Refusals) => Promise<readonly Execution[] | undefined>;
  readonly states: States;
}

/**
 * Decides if simultaneous calls show a race, by comparing them with the same calls executed one after another.
 *
 * A trial passes if its state and answers equal the state and answers of one order of the calls. A refused call may also have had no effect, unless
 * the API writes something when it refuses this call in one of the orders (see `writesAsRefused`). A call that failed or got no answer may have had
 * its full effect or no effect. If a call sends several requests, each refused request may have had no effect. The results of interleaved requests
 * are then allowed, too, because these requests are sent one after another, so their results are not caused by a race. If the state equals that of an
 * order, an answer may also contain values that later calls of this order wrote (see {@link LaterReadings}). Any other result is a race, named by its
 * worst effect.
 * @returns `undefined` if the trial passes
 */
export async function judge(trial: Execution, measure: Measure): Promise<Judgement | undefined> {
  const { orders } = measure;
  const held = new Set(orders.flatMap(({ broken }) => broken.map(({ invariant }) => invariant)));
  const broken = worst(trial.broken.filter(({ invariant }) => !held.has(invariant)));
  if (broken !== undefined) return { ...broken, verdict: "invariant" };
  const failures = sidesOf(trial, hasFailed);
  const excused = [...failures, ...sidesOf(trial, (call) => call.refused && !writesAsRefused(call, measure))];
  const candidates: Candidate[] = orders.map((execution) => ({ execution, open: new Set(failures) }));
  for (const left of leavings(excused, trial)) {
    const open = new Set([...failures, ...left]);
    for (const execution of await measure.without(left)) candidates.push({ execution, open });
  }
  const fitsOf = (some: readonly Candidate[]): readonly Candidate[] =>
    some.filter(({ execution }) => sameState(trial, execution, measure.states));
  const answersFit = (candidate: Candidate): boolean => sameAnswers(trial, candidate, measure);
  let fitting = fitsOf(candidates);
  const requests = trial.calls.map((call) => call!.exchanges.length);
  if (!fitting.some(answersFit) && Math.max(...requests) > 1) {
    // The refused calls are compared, too, because their refused requests got the answers of the trial.
    const add = (executions: readonly Execution[]): void => {
      const open = new Set(failures);
      fitting = [...fitting, ...fitsOf(executions.map((execution) => ({ execution, open })))];
    };
    const excuses = await excusedRequests(trial, measure);
    for (const refusals of excuses) add(await measure.refusing(refusals));
    for (const refusals of [NO_REFUSALS, ...excuses]) {
      if (fitting.some(answersFit)) break;
      const between = await measure.interleaved(requests, refusals);
      // Report no race, because there are too many ways to interleave the requests to compare the trial with all of them.
      if (between === undefined) return undefined;
      add(between.flatMap(inEachMerging));
    }
  }
  const names = trial.calls.map((call) => call!.action);
  if (fitting.length === 0) {
    const isMinor = isPastLimit([trial, ...orders]) && orders.some((order) => differsInNumbers(trial, order, measure.states));
    const state = isMinor ? "the resulting state, which differs only in numbers," : "the resulting state";
    const message = `${statuses(trial)}, and ${state} cannot be reached by running ${both(names)} in ${names.length === 2 ? "either" : "any"} order${asAfterSome(trial, measure)}${differingTimes(trial, measure)}`;
    return { verdict: "state", invariant: undefined, severity: isMinor ? Severity.LOW : Severity.HIGH, message };
  }
  if (!fitting.some(answersFit) && !fitting.some((one) => readsLater(trial, one, measure))) {
    const message = differingAnswers(trial, fitting);
    const judgement = { verdict: "responses", invariant: undefined, severity: Severity.MEDIUM, message } as const;
    return fitting.some((one) => answersFit(asRepeatable(one, trial, measure))) ? { ...judgement, excused: "idempotent" } : judgement;
  }
  const failed = trial.calls.find((call) => isNewFailure(call!, orders));
  if (failed === undefined) return undefined;
  const how = failed.kind === "lost" ? "got no answer" : `was answered ${answerText(failed)}`;
  return {
    verdict: "server_error",
    invariant: undefined,
    severity: Severity.HIGH,
    message: `${failed.action} ${how}, which does not happen when the calls are sent one after the other, in any order`,
  };
}

/** Statuses that refuse a call because a limit was already reached. A call that is refused in this way does not count towards the limit. */
const PAST_LIMIT: ReadonlySet<number> = new Set([423, 429]);

/** Returns `true` if all calls of all executions were refused with one status of {@link PAST_LIMIT}. */
function isPastLimit(executions: readonly Execution[]): boolean {
  const found = new Set(executions.flatMap(callsOf).map(({ kind, status }) => (kind === "executed" ? status : 0)));
  return found.size === 1 && [...found].every((status) => PAST_LIMIT.has(status));
}

function differsInNumbers(trial: Execution, { order, states }: Execution, known: States): boolean {
  return mergedAs(trial, order).some(({ facts }) => known.agreeWithoutNumbers(facts, states[0]!.facts));
}

/** Returns `true` if an execution shows the same race as the given one, possibly together with other differences. */
export async function shows(
  execution: Execution,
  { verdict, invariant }: Pick<Judgement, "verdict" | "invariant">,
  measure: Measure,
): Promise<boolean> {
  if (verdict === "invariant") return execution.broken.some((one) => one.invariant === invariant);
  if (verdict === "server_error") return execution.calls.some((call) => call !== undefined && isNewFailure(call, measure.orders));
  const judgement = await judge({ ...execution, broken: [] }, measure);
  if (verdict === "state" || judgement?.verdict !== "state") return judgement?.verdict === verdict;
  // No order of the calls gives this state, so compare only the answers.
  const calls = callsOf(execution);
  const facts = execution.states[0]!.facts;
  return !measure.orders.some((order) =>
    measure.states.answersAlike({ calls, facts }, { calls: callsOf(order), facts: order.states[0]!.facts }),
  );
}

const callsOf = ({ calls }: Execution): readonly CallEnd[] => calls.filter((call) => call !== undefined);

/** An execution with which a trial is compared. The answers of the calls in `open` may differ. */
interface Candidate {
  readonly execution: Execution;
  readonly open: ReadonlySet<number>;
}

function sameState(trial: Execution, { order, states }: Execution, known: States): boolean {
  const [state] = states;
  return mergedAs(trial, order).some(({ facts }) => known.agree(facts, state!.facts));
}

/**
 * Returns the states of a trial in which the contexts were merged in the order of another execution. Calls that the other execution lacks are
 * ignored. If all calls are alike, returns all states.
 */
function mergedAs(trial: Execution, order: readonly number[] | null): Execution["states"] {
  const isAny = trial.states.length === 1 || areAlike(trial.calls);
  return isAny ? trial.states : trial.states.filter((one) => isSubsequence(order ?? [], one.merged));
}

function sameAnswers(trial: Execution, { execution, open }: Candidate, { states }: Measure): boolean {
  const sides = trial.calls.flatMap((call, side) => (open.has(side) ? [] : [call!]));
  // Calls that are alike are interchangeable, so each of these calls may be the first call, or the call that fails.
  const isEqual = areAlike(trial.calls);
  const left = execution.calls.flatMap((call, side) => (call === undefined || (!isEqual && open.has(side)) ? [] : [call]));
  return mergedAs(trial, execution.order).some(({ facts }) =>
    choices(left, sides.length).some((calls) => states.answersAgree({ calls: sides, facts }, { calls, facts: execution.states[0]!.facts })),
  );
}

/** Returns `true` if the answers of a trial equal those of an order, except for values that the calls read after later calls had written. */
function readsLater(trial: Execution, { execution, open }: Candidate, { before, states }: Measure): boolean {
  const order = execution.order ?? [];
  const sides = trial.calls.flatMap((_, side) => (open.has(side) ? [] : [side]));
  const isEqual = areAlike(trial.calls);
  const called = order.filter((side) => execution.calls[side] !== undefined && (isEqual || !open.has(side)));
  // Calls that are alike are interchangeable, so each of these calls may be the first call.
  const orderings = isEqual ? arrangements(called, sides.length) : [sides.filter((side) => called.includes(side))];
  const { facts } = execution.states[0]!;
  return mergedAs(trial, execution.order).some((state) => {
    const readings = new LaterReadings(before, state.facts);
    return orderings.some((own) => {
      if (own.length !== sides.length) return false;
      const pairs = own.map((side, at) => {
        const later = order.slice(order.indexOf(side) + 1).flatMap((one) => execution.calls[one] ?? []);
        return readings.without({ trial: trial.calls[sides[at]!]!, own: execution.calls[side]!, later });
      });
      return states.answersAgree(
        { calls: pairs.map(([call]) => call), facts: state.facts },
        { calls: pairs.map(([, call]) => call), facts },
      );
    });
  });
}

/** Returns the ways to choose `count` of the items in any order, at most {@link MOST_CHOICES}. */
function arrangements(items: readonly number[], count: number): readonly (readonly number[])[] {
  if (count === 0) return [[]];
  return items
    .flatMap((item) =>
      arrangements(items.filter((other) => other !== item).slice(0, MOST_CHOICES), count - 1).map((rest) => [item, ...rest]),
    )
    .slice(0, MOST_CHOICES);
}

/** Maximum number of ways to choose some of the calls. Further ways are not tried. */
const MOST_CHOICES = 50;

function choices(calls: readonly CallEnd[], count: number): readonly (readonly CallEnd[])[] {
  let found: readonly (readonly CallEnd[])[] = [[]];
  calls.forEach((call, at) => {
    const more = found.flatMap((chosen) => (chosen.length < count ? [[...chosen, call]] : []));
    const rest = calls.length - at - 1;
    found = [...found, ...more].filter((chosen) => chosen.length + rest >= count).slice(0, MOST_CHOICES);
  });
  return found.filter((chosen) => chosen.length === count);
}

/**
 * Returns the candidate with successful answers in place of refusals that only mean that another call already had the same effect:
 * - The answer to a DELETE that found nothing (404, 410) is replaced by the answer to a successful DELETE.
 * - The refusal of a call whose session was ended by another call is replaced, whatever its method. Example: the first of two logouts ends the
 *   session of the second. If the two calls have different actions, the state must also contain everything that the refused call writes when it is
 *   the first call.
 */
function asRepeatable(candidate: Candidate, trial: Execution, measure: Measure): Candidate {
  const { execution } = candidate;
  const calls = execution.calls.map((call, side) => {
    const isRepeatable =
      call === undefined ? undefined : repeatable(call, () => areOfOneAction(trial) || contains(execution, call.action, measure));
    if (call === undefined || isRepeatable?.(trial.calls[side]) !== true) return call;
    return measure.orders.flatMap(callsOf).find((other) => areAlike([call, other]) && isRepeatable(other)) ?? call;
  });
  return { ...candidate, execution: { ...execution, calls } };
}

/** Returns the condition for calls whose answer may replace the answer to a refused call; `undefined` if no answer may replace it. */
function repeatable(refused: CallEnd, isDone: () => boolean): ((call: CallEnd | undefined) => boolean) | undefined {
  if (isUnauthorized(refused) && isDone()) return (call) => isDelete(call) || (call !== undefined && mayEndItself(call));
  return refused.status === 404 || refused.status === 410 ? isDelete : undefined;
}

/** Returns `true` if the state of an execution contains everything that an action writes when its call is the first. */
function contains({ states }: Execution, action: string, { before, orders }: Measure): boolean {
  const alone = orders.map(firstOf).find((first) => first?.call.action === action);
  if (alone === undefined) return false;
  const written = footprint(before, states[0]!.facts);
  return [...footprint(before, alone.facts)].every(([place, content]) => written.get(place) === content);
}

/** Returns `true` for a DELETE request that was answered 2xx. */
function isDelete(call: CallEnd | undefined): boolean {
  return call !== undefined && call.status >= 200 && call.status < 300 && call.exchanges.at(-1)?.request.method === "DELETE";
}

/**
 * Returns `true` if the call is refused with the same answer in some order of the calls and nevertheless writes, such as a login that counts
 * failures. A refusal that only deletes rows counts only if the call is the first of the order. After another call, such a refusal cleans up data of
 * the earlier call, such as the row of a used quota. A simultaneous call may be refused without this cleanup, because a later call can clean up
 * instead.
 */
function writesAsRefused(refusal: CallEnd, { before, orders }: Measure): boolean {
  return orders.some(({ order, calls, after }) =>
    (order ?? []).some((side, at) => {
      const call = calls[side];
      if (call?.action !== refusal.action || !isSameAnswer(call, refusal) || after.length !== order!.length) return false;
      const earlier = at === 0 ? before : after[at - 1]!;
      return footprint(earlier, after[at]!).size > 0 && (at === 0 || !onlyRemoves(earlier, after[at]!));
    }),
  );
}

/** Returns the sets of calls whose refused requests may have had no effect. */
async function excusedRequests(trial: Execution, measure: Measure): Promise<readonly Refusals[]> {
  const sides: number[] = [];
  for (const side of sidesOf(trial, ({ exchanges }) => exchanges.some(isRefusedWrite)))
    if (!(await refusedRequestsWrite(trial.calls[side]!, measure))) sides.push(side);
  return leavings(sides, trial).map((some) => new Map(some.map((side) => [side, trial.calls[side]!])));
}

/**
 * Returns `true` if requests of the call are refused with the same statuses in some order of the calls and nevertheless write there. See
 * {@link writesAsRefused}, which judges a call as a whole: its accepted requests may be the ones that write.
 */
async function refusedRequestsWrite(refusal: CallEnd, { orders, refusing, states }: Measure): Promise<boolean> {
  for (const execution of orders) {
    for (const [at, side] of (execution.order ?? []).entries()) {
      const call = execution.calls[side]!;
      if (call.action !== refusal.action || !haveSameRefusals(call, refusal)) continue;
      const all = await refusing(new Map([[side, call]]));
      const [whole, without] = [execution, all.find(({ order }) => order?.join() === execution.order!.join())!].map(
        (one) => one.states[0]!.facts,
      );
      if (!states.agree(whole!, without!) && (at === 0 || !onlyRemoves(without!, whole!))) return true;
    }
  }
  return false;
}

/** Returns the first call of an order, and the state after this call. */
function firstOf({ order, calls, after }: Execution): { readonly call: CallEnd; readonly facts: Facts } | undefined {
  const call = calls[order?.[0] ?? -1];
  return call === undefined || after.length !== order!.length ? undefined : { call, facts: after[0]! };
}

/**
 * Returns the end of a sentence about the state of a trial, if only some of the calls, executed one after another, also lead to this state. Otherwise
 * returns an empty text.
 */
function asAfterSome(trial: Execution, { before, orders, states }: Measure): string {
  const names = trial.calls.map((call) => call!.action);
  const isAs = (some: readonly number[], state: Facts): boolean => mergedAs(trial, some).some(({ facts }) => states.agree(facts, state));
  if (isAs([], before)) return ": it is the state before the calls";
  for (const { order, after } of orders) {
    if (after.length !== order!.length) continue;
    for (let count = after.length - 1; count > 0; count--) {
      const some = order!.slice(0, count);
      if (!isAs(some, after[count - 1]!)) continue;
      const done = areOfOneAction(trial) ? `${count === 1 ? "one" : count} ${names[0]}` : some.map((side) => names[side]!).join(" and ");
      return `: it is the state after ${done} alone`;
    }
  }
  return "";
}

/** Returns the end of a sentence that names a time, if the state of a trial differs from that of an order only in times. */
function differingTimes(trial: Execution, { orders, states }: Measure): string {
  for (const order of orders) {
    const { facts } = order.states[0]!;
    const alike = mergedAs(trial, order.order).find((one) => states.agreeWithoutTimes(one.facts, facts));
    const [difference] = alike === undefined ? [] : states.timeDifferences(alike.facts, facts);
    if (difference !== undefined) return `; ${differenceText(difference)} than after all calls in order`;
  }
  return "";
}

const hasFailed = (call: CallEnd): boolean => call.kind === "lost" || (call.status >= 500 && !call.refused);

function sidesOf({ calls }: Execution, which: (call: CallEnd) => boolean): number[] {
  return calls.flatMap((call, side) => (call !== undefined && which(call) ? [side] : []));
}

/** Returns `true` if the call ended with a server error, or without an answer, and does not end in this way in any order of the calls. */
function isNewFailure(call: CallEnd, orders: readonly Execution[]): boolean {
  if (call.kind !== "lost" && !(call.serverError && call.status !== 503)) return false;
  const isAlike = (other: CallEnd | undefined): boolean =>
    other?.action === call.action && other.kind === call.kind && isSameAnswer(other, call);
  return !orders.some(({ calls }) => calls.some(isAlike));
}

/** Returns one execution for each order in which the contexts were merged. In the returned execution, this order counts as the order of the calls. */
function inEachMerging(execution: Execution): readonly Execution[] {
  return execution.states.map((state) => ({ ...execution, order: state.merged, states: [state] }));
}

function worst(findings: readonly FindingEvent[]): Omit<Judgement, "verdict"> | undefined {
  const [first] = findings.toSorted((a, b) => severityRank(a.severity) - severityRank(b.severity));
  return first === undefined ? undefined : { invariant: first.invariant, severity: first.severity, message: first.message };
}

/**
 * Returns the sets of calls that may be left out: every non-empty subset of `sides`, or one subset of each size if all calls are alike.
 */
function leavings(sides: readonly number[], { calls }: Execution): readonly (readonly number[])[] {
  if (areAlike(calls)) return sides.map((_, count) => sides.slice(0, count + 1));
  return sides.reduce<(readonly number[])[]>((all, side) => [...all, ...all.map((one) => [...one, side])], [[]]).slice(1);
}

function areOfOneAction({ calls }: Execution): boolean {
  return new Set(calls.map((call) => call!.action)).size === 1;
}

function isSubsequence(part: readonly number[], whole: readonly number[]): boolean {
  let at = 0;
  for (const side of whole) if (side === part[at]) at++;
  return at === part.length;
}

function statusesOf({ calls }: Execution): readonly string[] {
  return calls.flatMap((call) => {
    if (call === undefined) return [];
    return call.kind === "lost" ? "not answered" : call.kind === "skipped" ? "not sent" : answerText(call);
  });
}

/** Returns the statuses, and for each redirect the page to which it leads. */
function pagesOf(execution: Execution): readonly string[] {
  const pages = execution.calls.flatMap((call) => (call === undefined ? [] : [pageOf(call)]));
  return statusesOf(execution).map((status, at) => (pages[at] === undefined ? status : `${status} to ${pages[at]}`));
}

function statuses(execution: Execution, textsOf: TextsOf = statusesOf): string {
  const all = textsOf(execution);
  if (new Set(all).size === 1 && all[0] !== "not sent")
    return `${all.length === 2 ? "both" : `all ${all.length}`} calls were ${all[0] === "not answered" ? "" : "answered "}${all[0]}`;
  const answers = all.join(" and ");
  return /not /.test(answers) ? `the calls ended differently (${answers})` : `the calls were answered ${answers}`;
}

type TextsOf = (execution: Execution) => readonly string[];

/** Returns a sentence about the difference between the answers of a trial and the answers to the calls executed one after another. */
function differingAnswers(trial: Execution, fitting: readonly Candidate[]): string {
  const textsOf = [statusesOf, pagesOf].find((one) => fitting.every(({ execution }) => tellApart(trial, execution, one)));
  if (textsOf !== undefined) {
    const complete = fitting.filter(({ open }) => open.size === 0);
    const ordered = new Set(complete.map(({ execution }) => inWords(textsOf(execution), execution.order)));
    if (ordered.size > 0)
      return `${statuses(trial, textsOf)}; when the calls are sent one after the other, they are answered ${[...ordered].join(", or ")}`;
  }
  return `${statuses(trial)}; when the calls are sent one after the other, their answers differ from these in every order`;
}

function tellApart(trial: Execution, execution: Execution, textsOf: TextsOf): boolean {
  const own = new Set(textsOf(trial));
  return !textsOf(execution).every((text) => own.has(text));
}

function inWords(all: readonly string[], order: readonly number[] | null): string {
  return (order ?? []).map((side) => all[side]!).join(", then ");
}

function both(names: readonly string[]): string {
  return new Set(names).size === 1 ? "them" : names.join(" and ");
}
