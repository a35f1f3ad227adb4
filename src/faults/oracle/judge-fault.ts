import { answerText, isSameAnswer, type Answer } from "../../races/index.ts";
import { Severity } from "../../model/declare/severity.ts";
import type { FaultPoint, FaultVerdict } from "../../model/results/result.ts";

/** The outcome of a call with a fault, compared with the outcome of the same call without a fault. */
export interface FaultedCall {
  readonly action: string;
  readonly point: FaultPoint;
  /** The answer to the call with the fault; its status is 0 without an answer. */
  readonly answer: Answer;
  /** The answer to the call without a fault. */
  readonly plain: Answer;
  /** `true` if the stores after the call with the fault equal the stores before the call. */
  readonly isBefore: boolean;
  /** `true` if the stores after the call with the fault equal the stores after the call without a fault. */
  readonly isAfter: boolean;
  /** The rules that are broken after the call with the fault, but not after the call without a fault. */
  readonly broken: readonly { readonly invariant: string; readonly message: string }[];
  readonly differences: string;
  /** The result of repeating the call without a fault. `undefined` if the call was not repeated, because the call with the fault had an effect. */
  readonly again: (Answer & { readonly isAfter: boolean }) | undefined;
}

export interface FaultJudgement {
  readonly verdict: FaultVerdict;
  readonly severity: Severity;
  readonly message: string;
  readonly invariant?: string;
}

/** Returns the worst problem that a call with a fault shows; `undefined` if the target handled the fault correctly. */
export function judgeFault(call: FaultedCall): FaultJudgement | undefined {
  const { action, point, answer, plain, isBefore, isAfter, broken, differences, again } = call;
  const answered = `${action} ${endText(answer)}`;
  const said = `${faultText(point)}: ${answered}`;
  if (again !== undefined && !(isSameAnswer(again, plain) && again.isAfter)) {
    const then = isSameAnswer(again, plain) ? "did not have its usual effect" : endText(again);
    const message = `${said}. When the call was repeated after the fault, ${action} ${then}. Without the fault, ${action} is answered ${answerText(plain)} in this state`;
    return { verdict: "no_recovery", severity: Severity.CRITICAL, message };
  }
  const [rule] = broken;
  const verdict = point.kind === "lost_answer" ? "repeated_write" : "torn_write";
  if (rule !== undefined) {
    const message = `${said}, and ${rule.invariant} does not hold: ${rule.message}`;
    return { verdict, severity: Severity.HIGH, message, invariant: rule.invariant };
  }
  if (!isBefore && !isAfter && verdict === "repeated_write") {
    const message = `${faultText(point)}, and changed the stores twice (${answered}). Changes of both requests together: ${differences}`;
    return { verdict, severity: Severity.HIGH, message };
  }
  if (!isBefore && !isAfter) {
    const message = `${said}, and the stores match neither the state before the call nor the state after the call without the fault: ${differences}`;
    return { verdict, severity: Severity.HIGH, message };
  }
  if (isBefore && !isAfter && isSuccess(answer) && isSuccess(plain)) {
    return { verdict: "false_success", severity: Severity.HIGH, message: `${said}, although the call changed nothing` };
  }
  return undefined;
}

export function notRecovered(action: string, point: FaultPoint, why: string): FaultJudgement {
  return {
    verdict: "no_recovery",
    severity: Severity.CRITICAL,
    message: `${faultText(point)} while ${action} was executed, and then ${why}`,
  };
}

/** Returns a clause about a fault, e.g. `the 2nd write of db (UPDATE orders) failed with an error`. */
export function faultText({ kind, store, write, statement }: FaultPoint): string {
  if (kind === "lost_answer") return "the request was sent again after its answer was lost";
  const which = `the ${ordinal(write ?? 0)} write of ${store ?? ""}${statement === undefined ? "" : ` (${statement})`}`;
  if (kind === "kill") return `the target was killed before ${which} and started again`;
  return kind === "error" ? `${which} failed with an error` : `the connection was cut before ${which}`;
}

function isSuccess({ status, refused }: Answer): boolean {
  return status >= 200 && status < 400 && !refused;
}

function endText(answer: Answer): string {
  return answer.status === 0 ? "got no answer" : `was answered ${answerText(answer)}`;
}

function ordinal(number: number): string {
  const tens = number % 100;
  const end = tens >= 11 && tens <= 13 ? "th" : (["th", "st", "nd", "rd"][number % 10] ?? "th");
  return `${number}${end}`;
}
