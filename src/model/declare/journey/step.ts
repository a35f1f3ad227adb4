import type { ApiClient } from "../../http/client.ts";
import type { Context, Values } from "../../context/context.ts";
import { secondsOf, type Duration } from "../../text/duration.ts";
import { SeqqaError } from "../../errors.ts";
import { refuseUnknown } from "../unknown-options.ts";

/**
 * The statuses that a step must get if it is expected to fail: `true` for any 4xx, else one of the given statuses. `false`: the step is not expected
 * to fail.
 */
export type ExpectedFailure = boolean | number | readonly number[];

/** Options of {@link Step}. */
export interface StepOptions<C extends object = Values, A = ApiClient, Args extends object = Values> {
  /** The name of the step in reports. Steps of a journey may have equal names. */
  readonly name: string;
  /**
   * Makes the step's calls. The returned response is judged; if the action returns nothing, the last response that it received is judged. If the
   * action returns `null`, the step does not apply: the step has the status `skipped`, and the journey continues.
   */
  readonly action: (client: A, context: Context<C>, args: Args) => unknown;
  /** Arguments for the action, so that several steps can use one action. */
  readonly args?: Args;
  /** The time limit of the whole step with all its requests and retries: seconds, or a duration such as `"250ms"`. Default: the journey's timeout. */
  readonly timeout?: Duration;
  /**
   * The failure that the step expects. `true`: a 4xx passes, and everything else fails. A status or a list: only these statuses pass. Default
   * `false`.
   */
  readonly expectFailure?: ExpectedFailure;
}

const OPTIONS: readonly (keyof StepOptions)[] = ["name", "action", "args", "timeout", "expectFailure"];

/**
 * A step of a `Journey`. Without `expectFailure`, the step fails if the judged response has a status of 400 or above. Every step fails if its code
 * throws, or if it times out.
 */
export class Step<C extends object = Values, A = ApiClient, Args extends object = Values> {
  readonly name: string;
  readonly action: (client: A, context: Context<C>, args: Args) => unknown;
  readonly args: Args | undefined;
  /** The time limit, in seconds. */
  readonly timeout: number | undefined;
  readonly expectFailure: boolean | readonly number[];
  /** A stack trace of the declaration. Errors about a wrong status show the line of the declaration, because no line of user code threw an error. */
  readonly declared: string | undefined;

  /** @throws SeqqaError `STEP_INVALID` for an empty name, an action that is not a function, and times and statuses out of range */
  constructor(options: StepOptions<C, A, Args>) {
    if (typeof options.name !== "string" || options.name.trim() === "") throw invalid("A Step needs a name that is not empty.");
    const which = `Step "${options.name}"`;
    if (typeof options.action !== "function") throw invalid(`${which} needs a function action(client, context, args).`);
    if (options.args !== undefined && (typeof options.args !== "object" || (options.args as unknown) === null)) {
      throw invalid(`The args of ${which} are not an object.`, "Write args: { name: value }.");
    }
    refuseUnknown(which, "STEP_INVALID", options, OPTIONS);
    this.name = options.name;
    this.action = options.action;
    this.args = options.args;
    this.timeout = checkedTimeout(which, options.timeout);
    this.expectFailure = checkedFailure(which, options.expectFailure);
    this.declared = new Error().stack;
  }
}

/** Returns the timeout in seconds. @throws SeqqaError `STEP_INVALID` if it is not above 0 */
export function checkedTimeout(which: string, timeout: Duration | undefined): number | undefined {
  if (timeout === undefined) return undefined;
  const seconds = secondsOf(timeout);
  if (seconds !== undefined && seconds > 0) return seconds;
  throw invalid(
    `The timeout of ${which} is ${String(timeout)}; it must be a number of seconds above 0.`,
    'Write a number of seconds such as 5, or a duration such as "250ms" or "1m".',
  );
}

function checkedFailure(which: string, expected: ExpectedFailure | undefined): boolean | readonly number[] {
  if (expected === undefined || typeof expected === "boolean") return expected ?? false;
  const statuses: readonly unknown[] = Array.isArray(expected) ? expected : [expected];
  const wrong = statuses.find((one) => !Number.isInteger(one) || (one as number) < 100 || (one as number) > 599);
  if (statuses.length > 0 && wrong === undefined) return statuses as readonly number[];
  throw invalid(
    statuses.length === 0
      ? `The expectFailure of ${which} is an empty list, so no answer could fulfil it.`
      : `The expectFailure of ${which} is ${String(wrong)}, which is not an HTTP status.`,
    "Write true for any 4xx status, a status such as 409, or a list of statuses.",
  );
}

function invalid(message: string, hint?: string): SeqqaError {
  return new SeqqaError("STEP_INVALID", message, { exitStatus: 2, hint });
}
