import type { ApiClient } from "../http/client.ts";
import { Context, type Values } from "../context/context.ts";
import type { Duration } from "../text/duration.ts";
import { SeqqaError } from "../errors.ts";
import type { Lane } from "./lane.ts";
import { checkedTimeout, Step } from "./step.ts";

/** A step with arguments of any type. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- each step's arguments are its own; they meet its own action only
export type AnyStep<C extends object = Values, A = ApiClient> = Step<C, A, any>;

/** Options of a {@link Journey}. */
export interface JourneyOptions<C extends object = Values, A = ApiClient> {
  /** The name that `seqqa run <name>` takes. */
  readonly name: string;
  /** Run in order. The first step that fails ends the journey; the rest are skipped. */
  readonly steps: readonly AnyStep<C, A>[];
  /** Seconds, or a duration, for each step without a timeout of its own. Default: no limit beside the timeout of each request. */
  readonly timeout?: Duration;
  /**
   * The client that the steps receive, or a factory for a new one each time. `seqqa run` restores a client after the journey, `journey.run()` does
   * not. Default: an `HttpClient` on the lane's base URL.
   */
  readonly client?: A | ((lane: Lane) => A | Promise<A>);
  /** The initial context of every run. */
  readonly context?: Context<C> | Partial<C>;
}

/** A linear flow. Everything that can be known without running it is checked. */
export class JourneyDefinition<C extends object = Values, A = ApiClient> {
  readonly name: string;
  readonly steps: readonly AnyStep<C, A>[];
  /** Seconds. */
  readonly timeout: number | undefined;
  readonly client: A | ((lane: Lane) => A | Promise<A>) | undefined;
  readonly context: Context<C> | Partial<C> | undefined;

  /**
   * @throws SeqqaError `JOURNEY_INVALID` for an empty name, for members of `steps` that are no steps, and for a context that cannot be copied;
   * `STEP_INVALID` for a timeout out of range.
   */
  constructor(options: JourneyOptions<C, A>) {
    if (typeof options.name !== "string" || options.name.trim() === "") throw invalid("A Journey needs a name that is not empty.");
    const which = `Journey "${options.name}"`;
    if (!Array.isArray(options.steps)) throw invalid(`The steps of ${which} are not a list.`, "Pass steps: [new Step({ ... })].");
    if (options.steps.length === 0) throw invalid(`${which} has no steps.`, "List at least one Step in `steps`.");
    options.steps.forEach((step: unknown, index) => {
      if (!(step instanceof Step)) throw invalid(`steps[${index}] of ${which} is not a Step.`, "Write new Step({ ... }).");
    });
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
      "Let a step set values that are made during the run.",
      cause,
    );
  }
}

function invalid(message: string, hint?: string, cause?: unknown): SeqqaError {
  return new SeqqaError("JOURNEY_INVALID", message, { exitStatus: 2, hint, cause });
}
