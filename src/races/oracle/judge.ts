import type { FindingNews } from "../../engine/messages.ts";
import type { RaceVerdict } from "../../model/result.ts";
import { Severity, severityRank } from "../../model/severity.ts";
import type { Facts } from "../../state/facts.ts";
import type { CallEnd, Execution } from "./execution.ts";
import { FreshIds } from "./fresh-ids.ts";
import { answersAgree, type AnswerRules } from "./responses-agree.ts";
import type { States } from "./states-agree.ts";

/** What a trial showed that no order shows. */
export interface Judgement {
  readonly verdict: RaceVerdict;
  readonly invariant: string | undefined;
  readonly severity: Severity;
  readonly message: string;
}

/** What a trial is judged by. */
export interface Measure {
  /** The state in which all executions began. */
  readonly before: Facts;
  /** The calls one after the other, in every order. */
  readonly orders: readonly Execution[];
  /** The orders of the calls without some of them; asked for only where one was refused or failed. */
  readonly without: (sides: readonly number[]) => Promise<readonly Execution[]>;
  /** The single requests of the calls one after the other, in the orders in between; `undefined`: there are too many. Asked for only where a call sends several. */
  readonly interleaved: (requests: readonly number[]) => Promise<readonly Execution[] | undefined>;
  readonly states: States;
  readonly answers: AnswerRules;
}

/** Answers that say for certain that nothing was done. */
const REFUSED: ReadonlySet<number> = new Set([409, 412, 422, 423, 425, 429, 503]);

/**
 * Judges an execution of calls at the same time by what the calls come to one after the other: the system is its own specification.
 *
 * Allowed is each order: its state together with its answers. A side that was refused for certain may also have done nothing; one that failed or got
 * no answer may have done all or nothing. Of calls that send several requests it is also allowed what their requests come to when each ends before the next
 * one begins: nothing met there, so that is no race of the API. What is left is a race, named by the worst that it shows. `undefined`: the execution fits.
 */
export async function judge(trial: Execution, measure: Measure): Promise<Judgement | undefined> {
  const { orders } = measure;
  const held = new Set(orders.flatMap(({ broken }) => broken.map(({ invariant }) => invariant)));
  const broken = worst(trial.broken.filter(({ invariant }) => !held.has(invariant)));
  if (broken !== undefined) return { ...broken, verdict: "invariant" };
  const failures = sidesOf(trial, hasFailed);
  const excused = [...failures, ...sidesOf(trial, ({ status }) => REFUSED.has(status))];
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
    const between = await measure.interleaved(requests);
    // What cannot be compared with is not said to be a race.
    if (between === undefined) return undefined;
    fitting = [...fitting, ...fitsOf(between.flatMap(inEachMerging).map((execution) => ({ execution, open: new Set(failures) })))];
  }
  const names = trial.calls.map((call) => call!.action);
  if (fitting.length === 0) {
    const message = `${statuses(trial)}, and the state is one that no order of ${both(names)} leads to`;
    return { verdict: "state", invariant: undefined, severity: Severity.HIGH, message };
  }
  if (!fitting.some(answersFit)) {
    const message = differingAnswers(trial, fitting);
    return { verdict: "responses", invariant: undefined, severity: Severity.MEDIUM, message };
  }
  const failed = trial.calls.find((call) => isNewFailure(call!, orders));
  if (failed === undefined) return undefined;
  const how = failed.kind === "lost" ? "got no answer" : `was answered ${failed.status}`;
  return {
    verdict: "server_error",
    invariant: undefined,
    severity: Severity.HIGH,
    message: `${failed.action} ${how}, which it is not in any order of ${both(names)}`,
  };
}

/** An execution that the trial may have come out as, and the sides whose answers are free. */
interface Candidate {
  readonly execution: Execution;
  readonly open: ReadonlySet<number>;
}

function sameState(trial: Execution, { order, states }: Execution, known: States): boolean {
  const [state] = states;
  // Of the merged states the one in the candidate's order: where an order lacks a side, the rest of it decides. Of equal calls one order stands for all.
  const isAny = trial.states.length === 1 || areEqual(trial);
  const merged = isAny ? trial.states : trial.states.filter((one) => isSubsequence(order ?? [], one.merged));
  return merged.some(({ facts }) => known.agree(facts, state!.facts));
}

function sameAnswers(trial: Execution, { execution, open }: Candidate, { before, answers }: Measure): boolean {
  const fresh = new FreshIds(before, trial.states[0]!.facts);
  const freshThere = new FreshIds(before, execution.states[0]!.facts);
  // Refused is refused, whatever it says about it.
  const agree = (a: CallEnd, b: CallEnd): boolean =>
    (REFUSED.has(a.status) && REFUSED.has(b.status)) || answersAgree(a, b, fresh, freshThere, answers);
  const sides = trial.calls.flatMap((call, side) => (open.has(side) ? [] : [call!]));
  // Equal calls are not told apart: which of them is answered first, or fails, is nobody's business.
  const isEqual = areEqual(trial);
  const left = execution.calls.flatMap((call, side) => (call === undefined || (!isEqual && open.has(side)) ? [] : [call]));
  return sides.every((side) => {
    const found = left.findIndex((other) => other.action === side.action && agree(side, other));
    if (found >= 0) left.splice(found, 1);
    return found >= 0;
  });
}

const hasFailed = (call: CallEnd): boolean => call.kind === "lost" || (call.status >= 500 && !REFUSED.has(call.status));

function sidesOf({ calls }: Execution, which: (call: CallEnd) => boolean): number[] {
  return calls.flatMap((call, side) => (call !== undefined && which(call) ? [side] : []));
}

/** Equal calls are not told apart. */
function isNewFailure(call: CallEnd, orders: readonly Execution[]): boolean {
  if (call.kind !== "lost" && !(call.serverError && call.status !== 503)) return false;
  const isAlike = (other: CallEnd | undefined): boolean =>
    other?.action === call.action && other.kind === call.kind && other.status === call.status;
  return !orders.some(({ calls }) => calls.some(isAlike));
}

/** One execution for each order in which the sides' contexts were merged, as if it were the order of the calls. */
function inEachMerging(execution: Execution): readonly Execution[] {
  return execution.states.map((state) => ({ ...execution, order: state.merged, states: [state] }));
}

function worst(findings: readonly FindingNews[]): Omit<Judgement, "verdict"> | undefined {
  const [first] = findings.toSorted((a, b) => severityRank(a.severity) - severityRank(b.severity));
  return first === undefined ? undefined : { invariant: first.invariant, severity: first.severity, message: first.message };
}

/** The ways to leave out some of the sides: all of them, or, where the calls are equal, one for each number. */
function leavings(sides: readonly number[], { calls }: Execution): readonly (readonly number[])[] {
  if (areEqual({ calls })) return sides.map((_, count) => sides.slice(0, count + 1));
  return sides.reduce<(readonly number[])[]>((all, side) => [...all, ...all.map((one) => [...one, side])], [[]]).slice(1);
}

/** Whether all calls are of one action. */
function areEqual({ calls }: Pick<Execution, "calls">): boolean {
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
    return call.kind === "lost" ? "not answered" : call.kind === "skipped" ? "not sent" : String(call.status);
  });
}

function statuses(execution: Execution): string {
  const all = statusesOf(execution);
  const answered =
    new Set(all).size === 1 && all[0] !== "not sent"
      ? `${all.length === 2 ? "both" : `all ${all.length}`} calls were ${all[0] === "not answered" ? "" : "answered "}${all[0]}`
      : `the calls were answered ${all.join(" and ")}`;
  return answered;
}

/** Says what the calls are answered with one after the other, where that is another status. */
function differingAnswers(trial: Execution, fitting: readonly Candidate[]): string {
  const ordered = [
    ...new Set(fitting.filter(({ open }) => open.size === 0).map(({ execution }) => inWords(statusesOf(execution), execution.order))),
  ];
  const own = new Set(statusesOf(trial).toSorted());
  const isStatus = fitting.every(({ execution }) => !statusesOf(execution).every((status) => own.has(status)));
  if (ordered.length > 0 && isStatus) return `${statuses(trial)}; one after the other they are answered ${ordered.join(", or ")}`;
  return `${statuses(trial)}, and at least one of the answers is not what any order of them gives`;
}

function inWords(all: readonly string[], order: readonly number[] | null): string {
  return (order ?? []).map((side) => all[side]!).join(", then ");
}

function both(names: readonly string[]): string {
  return new Set(names).size === 1 ? "them" : names.join(" and ");
}
