import type { ApiClient } from "../../http/client.ts";
import { Context, type Values } from "../../context/context.ts";
import type { Duration } from "../../text/duration.ts";
import { SeqqaError } from "../../errors.ts";
import type { Lane } from "../lane.ts";
import { checkedTimeout, Step } from "./step.ts";
import { refuseUnknown } from "../unknown-options.ts";

/** A step whose arguments may have any type. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- each step has its own type of arguments, which only its own action receives
export type AnyStep<C extends object = Values, A = ApiClient> = Step<C, A, any>;

/** Options of a {@link Journey}. */
export interface JourneyOptions<C extends object = Values, A = ApiClient> {
  /** The name of the journey, for `seqqa run <name>` and reports. */
  readonly name: string;
  /** The steps, in the order of execution. The first step that fails ends the journey, and the remaining steps are skipped. */
  readonly steps: readonly AnyStep<C, A>[];
  /** The time limit of each step without its own timeout: seconds, or a duration. Default: no limit except the timeout of each request. */
  readonly timeout?: Duration;
  /**
   * The client that the steps receive, or a function that creates a client for each run. Default: an `HttpClient` on the lane's base URL. `seqqa run`
   * restores the client after the journey; `journey.run()` does not.
   */
  readonly client?: A | ((lane: Lane) => A | Promise<A>);
  /** The initial context of every run. Default: empty. */
  readonly context?: Context<C> | Partial<C>;
}

const OPTIONS: readonly (keyof JourneyOptions)[] = ["name", "steps", "timeout", "client", "context"];

/** A linear flow of steps. The constructor checks everything that can be checked without running the journey. */
export class JourneyDefinition<C extends object = Values, A = ApiClient> {
  readonly name: string;
  readonly steps: readonly AnyStep<C, A>[];
  /** The time limit of each step without its own timeout, in seconds. */
  readonly timeout: number | undefined;
  readonly client: A | ((lane: Lane) => A | Promise<A>) | undefined;
  readonly context: Context<C> | Partial<C> | undefined;

  /**
   * @throws SeqqaError `JOURNEY_INVALID` for an empty name, for members of `steps` that are not Steps, and for a context that cannot be copied;
   * `STEP_INVALID` for a timeout out of range
   */
  constructor(options: JourneyOptions<C, A>) {
    if (typeof options.name !== "string" || options.name.trim() === "") throw invalid("A Journey needs a name that is not empty.");
    const which = `Journey "${options.name}"`;
    if (!Array.isArray(options.steps)) throw invalid(`The steps of ${which} are not a list.`, "Pass steps: [new Step({ ... })].");
    if (options.steps.length === 0) throw invalid(`${which} has no steps.`, "List at least one Step in `steps`.");
    options.steps.forEach((step: unknown, index) => {
      if (!(step instanceof Step)) throw invalid(`steps[${index}] of ${which} is not a Step.`, "Write new Step({ ... }).");
    });
    refuseUnknown(which, "JOURNEY_INVALID", options, OPTIONS);
    checkContext(which, options.context);
    this.name = options.name;
    this.steps = options.steps;
    this.timeout = checkedTimeout(which, options.timeout);
    this.client = options.client;
    this.context = options.context;
  }
}

/** Checks that the context can be copied, because every run starts with a copy. */
function checkContext(which: string, context: unknown): void {
  if (context === undefined) return;
  if (typeof context !== "object" || context === null) {
    throw invalid(`The context of ${which} is not an object.`, "Write context: { key: value }.");
  }
  const target: Context = new Context();
  try {
    Object.entries(context).forEach(([key, value]) => target.set(key, value));
  } catch (cause) {
    throw invalid(
      `The context of ${which} cannot be used: ${(cause as Error).message}`,
      "Use only plain data in the initial context, and no key that is the name of a method or property of the context, such as data.",
      cause,
    );
  }
}

function invalid(message: string, hint?: string, cause?: unknown): SeqqaError {
  return new SeqqaError("JOURNEY_INVALID", message, { exitStatus: 2, hint, cause });
}
