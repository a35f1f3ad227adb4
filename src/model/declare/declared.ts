import { secondsOf, type Duration } from "../text/duration.ts";
import { alternatives } from "../text/alternatives.ts";
import { SeqqaError } from "../errors.ts";
import { JourneyDefinition } from "./journey/journey.ts";
import { STRATEGIES, type Strategy } from "./search/strategy.ts";

/** The class that the user instantiated, for messages. */
export type Declared = "Agent" | "StateGraph";

const CODES: Readonly<Record<Declared, string>> = { Agent: "AGENT_INVALID", StateGraph: "STATE_GRAPH_INVALID" };

/** The budgets of an exploration. */
export interface Bounds {
  readonly maxSteps: number | undefined;
  readonly maxDepth: number | undefined;
  /** The time limit, in seconds. */
  readonly maxTime: number | undefined;
}

export function invalid(owner: Declared, message: string, hint?: string): SeqqaError {
  return new SeqqaError(CODES[owner], message, { exitStatus: 2, hint });
}

/** Checks the budgets, the seed, the strategy and the setup, and returns the budgets. @throws SeqqaError if one of them is invalid */
export function checkBounds(
  owner: Declared,
  given: {
    readonly maxSteps?: number | undefined;
    readonly maxDepth?: number | undefined;
    readonly maxTime?: Duration | undefined;
    readonly seed?: number | undefined;
    readonly strategy?: Strategy | undefined;
    readonly setup?: unknown;
  },
): Bounds {
  const { maxTime, seed, strategy, setup } = given;
  const bounds = {
    maxSteps: positive(owner, "maxSteps", given.maxSteps, true),
    maxDepth: positive(owner, "maxDepth", given.maxDepth, true),
    maxTime: positive(owner, "maxTime", typeof maxTime === "string" ? (secondsOf(maxTime) ?? NaN) : maxTime, false),
  };
  if (strategy !== undefined && !Object.hasOwn(STRATEGIES, strategy.kind)) {
    throw invalid(
      owner,
      `The ${owner}'s strategy is not a strategy of seqqa.`,
      `Write strategy: ${alternatives(Object.values(STRATEGIES).map((facts) => `new ${facts.class.name}()`))}.`,
    );
  }
  if (setup !== undefined && typeof setup !== "function" && !(setup instanceof JourneyDefinition)) {
    throw invalid(
      owner,
      `The ${owner}'s setup is neither a function nor a Journey.`,
      "Write setup: async (world) => { ... }, or setup: journey.",
    );
  }
  if (typeof setup === "function" && setup.length > 1) {
    throw invalid(
      owner,
      `The ${owner}'s setup has ${setup.length} parameters, but seqqa passes only one argument, the World.`,
      "Write setup: async ({ api, context }) => { ... }.",
    );
  }
  if (seed !== undefined && !Number.isSafeInteger(seed)) throw invalid(owner, `The ${owner}'s seed is ${String(seed)}, not an integer.`);
  return bounds;
}

/** Checks a list of members. @throws SeqqaError if the list has a value of another type, or two members with the same name */
export function checkMembers(
  owner: Declared,
  field: string,
  members: unknown,
  type: abstract new (...args: never[]) => unknown,
  typeName: string,
): void {
  if (!Array.isArray(members)) throw invalid(owner, `The ${owner}'s ${field} are not a list.`, `Pass ${field}: [new ${typeName}(...)].`);
  const seen = new Map<string, number>();
  members.forEach((member: unknown, index) => {
    if (!(member instanceof type))
      throw invalid(owner, `The ${owner}'s ${field}[${index}] is not an instance of ${typeName}.`, `Write new ${typeName}({ ... }).`);
    const name = (member as { readonly name: string }).name;
    const first = seen.get(name);
    if (first !== undefined) {
      throw invalid(
        owner,
        `The ${owner}'s ${field}[${first}] and ${field}[${index}] have the same name "${name}".`,
        `Give each ${typeName} a different name, because paths show the names.`,
      );
    }
    seen.set(name, index);
  });
}

function positive(owner: Declared, name: string, value: number | undefined, integer: boolean): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== "number" || !(value > 0) || (integer && !Number.isSafeInteger(value))) {
    throw invalid(
      owner,
      `The ${owner}'s ${name} is ${String(value)}; it must be ${integer ? "an integer of at least 1" : "a number of seconds above 0"}.`,
    );
  }
  return value;
}
