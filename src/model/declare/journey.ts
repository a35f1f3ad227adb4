import type { ApiClient } from "../http/client.ts";
import { Context, type Values } from "../context/context.ts";
import type { Duration } from "../text/duration.ts";
import { SeqqaError } from "../errors.ts";
import type { Lane } from "./lane.ts";
import { checkedTimeout, Step } from "./step.ts";

/** A step with arguments of whatever type. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- each step's arguments are its own; they meet its own action only
export type AnyStep<C extends object = Values, A = ApiClient> = Step<C, A, any>;

export interface JourneyOptions<C extends object = Values, A = ApiClient> {
  /** What `seqqa run <name>` asks for. */
  readonly name: string;
  /** Run in order. The first that fails ends the journey; the rest are skipped. */
  readonly steps: readonly AnyStep<C, A>[];
  /** Seconds, or a duration, for each of the steps that has no timeout of its own. Default: none beside that of each request. */
  readonly timeout?: Duration;
  /** What the steps receive: a client, put back after the journey by `seqqa run` but not by `journey.run()`, or a factory for a new one each time. Default: an `HttpClient` on the lane's base URL. */
  readonly client?: A | ((lane: Lane) => A | Promise<A>);
  /** What the context of every run starts with. */
  readonly context?: Context<C> | Partial<C>;
}

/** A linear flow, checked for what can be known without running it. */
export class JourneyDefinition<C extends object = Values, A = ApiClient> {
  readonly name: string;
  readonly steps: readonly AnyStep<C, A>[];
  /** Seconds. */
  readonly timeout: number | undefined;
  readonly client: A | ((lane: Lane) => A | Promise<A>) | undefined;
  readonly context: Context<C> | Partial<C> | undefined;

  /** @throws SeqqaError `JOURNEY_INVALID` for an empty name, for steps that are none, and for a context that cannot be copied; `STEP_INVALID` for a timeout out of range. */
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

/** Every run starts with copies of it. */
function checkContext(which: string, context: unknown): void {
  if (context === undefined) return;
  if (typeof context !== "object" || context === null) {
    throw invalid(`The context of ${which} is no object.`, "Write context: { key: value }.");
  }
  const target: Context = new Context();
  try {
    Object.entries(context).forEach(([key, value]) => target.set(key, value));
  } catch (cause) {
    throw invalid(
      `The context of ${which} cannot be used: ${(cause as Error).message}`,
      "Let a step put there what is made by the run.",
      cause,
    );
  }
}

function invalid(message: string, hint?: string, cause?: unknown): SeqqaError {
  return new SeqqaError("JOURNEY_INVALID", message, { exitStatus: 2, hint, cause });
}
