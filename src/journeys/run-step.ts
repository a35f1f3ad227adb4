import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import type { Context } from "../model/context/context.ts";
import type { AnyStep } from "../model/declare/journey.ts";
import type { StepResult } from "../model/results/journey-result.ts";
import { recordedAnswer } from "../model/context/recorded.ts";
import { ApiResponse } from "../model/http/response.ts";
import type { RecordedExchange } from "../model/results/result.ts";
import { watchContext } from "./context-changes.ts";
import { judge, strayVerdict, type Ending, type Verdict } from "./judge.ts";
import { plainCopy } from "./plain-copy.ts";
import { stackOf } from "./stack-of.ts";
import type { StepScope } from "./step-scope.ts";

/** A step as the thread knows it that ran it. */
export interface RanStep extends Omit<StepResult, "where"> {
  /** Lines of a stack in which the first one of the user's own code is to blame. Only with an error. */
  readonly stack?: string | undefined;
}

export interface StepInput {
  readonly step: AnyStep<never, never>;
  readonly client: never;
  readonly context: Context<never>;
  /** Seconds. */
  readonly timeout: number | undefined;
  readonly signal: AbortSignal | undefined;
  /** Takes the rejections that nobody awaited. */
  readonly strays: (() => readonly unknown[]) | undefined;
  readonly scope: StepScope;
}

/** How long code that was given up is waited for: its requests reject at once, and it usually ends with them. Milliseconds. */
const LAST_MOMENT = 100;
/** Node takes no longer timer; such a timeout is none. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Runs a step to its end, or to that of its time. */
export async function runStep(input: StepInput): Promise<RanStep> {
  const { step, client, context, scope, strays } = input;
  const begun = performance.now();
  const args = step.args === undefined ? undefined : plainCopy(step.args);
  const changes = watchContext(context);
  strays?.();
  const code = scope.run(() => callOf(step, client, context));
  const ending = await first(code, input);
  if (ending.kind === "timed_out" || ending.kind === "interrupted") await giveUp(code, ending, scope);
  // Rejections that nobody awaited are told after this turn.
  const left = strays === undefined ? [] : (await nextTurn(), strays());
  const requests = requestsOf(scope, ending);
  const verdict = verdictOf(step, ending, requests, left);
  const changed = verdict.status === "passed" ? undefined : stackOf(ending.kind === "threw" ? ending.error : left[0], step.declared);
  return {
    name: step.name,
    status: verdict.status,
    requests,
    context: changes(),
    ...(args !== undefined && { args }),
    ...(verdict.error !== undefined && { error: verdict.error, stack: changed }),
    durationMs: performance.now() - begun,
  };
}

async function callOf(step: AnyStep<never, never>, client: never, context: Context<never>): Promise<Ending> {
  try {
    return { kind: "returned", value: await step.action(client, context, step.args ?? {}) };
  } catch (error) {
    return { kind: "threw", error };
  }
}

/** The code's own end, or that of its time, whichever comes first. */
async function first(code: Promise<Ending>, { timeout, signal }: StepInput): Promise<Ending> {
  let timer: NodeJS.Timeout | undefined;
  let interrupt: (() => void) | undefined;
  const over = new Promise<Ending>((resolve) => {
    const ms = (timeout ?? Infinity) * 1000;
    const expire = ms > MAX_TIMER_MS ? (): void => undefined : (): void => resolve({ kind: "timed_out", seconds: ms / 1000 });
    // Also without a timeout: the process would end in the middle of a step that waits for nothing of Node's.
    timer = setTimeout(expire, Math.min(ms, MAX_TIMER_MS));
    interrupt = () => resolve({ kind: "interrupted" });
    if (signal?.aborted === true) interrupt();
    signal?.addEventListener("abort", interrupt);
  });
  try {
    return await Promise.race([code, over]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", interrupt!);
  }
}

async function giveUp(code: Promise<Ending>, ending: Ending, scope: StepScope): Promise<void> {
  scope.end(ending.kind === "timed_out" ? `its step timed out after ${ending.seconds} s` : "the run was interrupted");
  const patience = new AbortController();
  const ended = await Promise.race([code.then(() => true), sleep(LAST_MOMENT, false, { signal: patience.signal }).catch(() => false)]);
  patience.abort();
  if (!ended) scope.abandon();
}

/** An `api` that is no HTTP client leaves no exchanges: then the response that it returned stands for them. */
function requestsOf({ requests }: StepScope, ending: Ending): readonly RecordedExchange[] {
  const value = ending.kind === "returned" ? ending.value : undefined;
  return value instanceof ApiResponse && requests.length === 0 ? [recordedAnswer(value)] : [...requests];
}

function verdictOf(
  step: AnyStep<never, never>,
  ending: Ending,
  requests: readonly RecordedExchange[],
  strays: readonly unknown[],
): Verdict {
  const verdict = judge(step.expectFailure, ending, requests);
  return strays.length > 0 && (verdict.status === "passed" || verdict.status === "skipped") ? strayVerdict(strays[0]) : verdict;
}
