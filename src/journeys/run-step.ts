import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import type { Context } from "../model/context/context.ts";
import type { AnyStep } from "../model/declare/journey/journey.ts";
import type { StepResult } from "../model/results/journey-result.ts";
import { recordedAnswer } from "../model/context/recorded.ts";
import { ApiResponse } from "../model/http/response.ts";
import type { RecordedExchange } from "../model/results/result.ts";
import { watchContext } from "./context-changes.ts";
import { judge, pendingVerdict, strayVerdict, type Ending } from "./judge.ts";
import type { StepScope } from "./step-scope.ts";

/** The maximum number of errors in a chain of `cause` whose stacks are stored. */
const CAUSES = 10;

export interface RanStep extends Omit<StepResult, "where"> {
  /** The lines of the error's stack; `undefined` without an error. Reports show the first line that is in the user's own code. */
  readonly stack?: string | undefined;
}

export interface StepInput {
  readonly step: AnyStep<never, never>;
  readonly client: never;
  readonly context: Context<never>;
  readonly timeout: number | undefined;
  readonly signal: AbortSignal | undefined;
  /** Returns the unhandled rejections that occurred since the previous call of this function. */
  readonly strays: (() => readonly unknown[]) | undefined;
  readonly scope: StepScope;
}

/**
 * How long to wait for the code of a step after the step's timeout, in milliseconds. At the timeout, the requests of this code are rejected, so the
 * code usually ends.
 */
const LAST_MOMENT = 100;
/** The longest delay that Node's `setTimeout` accepts. A longer step timeout is treated as no timeout. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export async function runStep(input: StepInput): Promise<RanStep> {
  const { step, client, context, scope, strays } = input;
  const begun = performance.now();
  const args = step.args === undefined ? undefined : plainCopy(step.args);
  const changes = watchContext(context);
  strays?.();
  const code = scope.run(() => callOf(step, client, context));
  const ending = await first(code, input);
  const [unsettled] = ending.kind === "returned" ? scope.unsettled : [];
  if (ending.kind === "timed_out" || ending.kind === "interrupted") await giveUp(code, ending, scope);
  // Wait for the next turn of the event loop, in which Node emits `unhandledRejection`.
  const left = strays === undefined ? [] : (await nextTurn(), strays());
  const requests = requestsOf(scope, ending);
  let verdict = judge(step.expectFailure, ending, requests);
  if (verdict.status === "passed" || verdict.status === "skipped") {
    if (left.length > 0) verdict = strayVerdict(left[0]);
    else if (unsettled !== undefined) verdict = pendingVerdict(unsettled);
  }
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

async function first(code: Promise<Ending>, { timeout, signal }: StepInput): Promise<Ending> {
  let timer: NodeJS.Timeout | undefined;
  let interrupt: (() => void) | undefined;
  const over = new Promise<Ending>((resolve) => {
    const ms = (timeout ?? Infinity) * 1000;
    const expire = ms > MAX_TIMER_MS ? (): void => undefined : (): void => resolve({ kind: "timed_out", seconds: ms / 1000 });
    // Set a timer even without a timeout. Without a timer, Node would exit while the step waits for a promise that has no open handle.
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

/**
 * Returns the recorded requests of a step. If no request was recorded, because `api` is not an HTTP client, returns the response that the step's code
 * returned.
 */
function requestsOf({ requests }: StepScope, ending: Ending): readonly RecordedExchange[] {
  const value = ending.kind === "returned" ? ending.value : undefined;
  return value instanceof ApiResponse && requests.length === 0 ? [recordedAnswer(value)] : [...requests];
}

/**
 * Returns a copy of a step's arguments that can be stored and sent to another thread. A value that cannot be copied is replaced by the name of its
 * type.
 */
function plainCopy(value: unknown, seen: readonly unknown[] = []): unknown {
  if (typeof value === "function" || typeof value === "symbol") return `[${typeof value}]`;
  if (typeof value !== "object" || value === null) return value;
  if (seen.includes(value)) return "[circular]";
  const inside = [...seen, value];
  if (Array.isArray(value)) return value.map((one) => plainCopy(one, inside));
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === null) {
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, plainCopy(one, inside)]));
  }
  try {
    return structuredClone(value);
  } catch {
    return `[${(value as { constructor?: { name?: string } }).constructor?.name ?? "object"}]`;
  }
}

/** Returns the stacks of an error and of its causes, followed by the stack of the step's declaration. */
function stackOf(error: unknown, declared: string | undefined): string {
  const stacks: string[] = [];
  for (let cause = error; cause instanceof Error && stacks.length < CAUSES; cause = cause.cause) stacks.push(cause.stack ?? "");
  return [...stacks, declared ?? ""].join("\n");
}
