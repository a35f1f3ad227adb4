import { Action } from "./action.ts";
import type { ApiClient } from "./client.ts";
import type { Values } from "./context.ts";
import { secondsOf, type Duration } from "./duration.ts";
import { SeqqaError } from "./errors.ts";
import { Invariant } from "./invariant.ts";
import type { Lane } from "./lane.ts";
import { BFS, type Strategy } from "./strategy.ts";
import type { World } from "./world.ts";

export interface AgentOptions<C extends object = Values, A = ApiClient> {
  /** Default: the name of the file. */
  readonly name?: string;
  /** A world, or a factory that builds one for a lane; needed for more than one lane. */
  readonly world?: World<C, A> | ((lane: Lane) => World<C, A> | Promise<World<C, A>>);
  readonly actions: readonly Action<C, A>[];
  readonly invariants: readonly Invariant<C, A>[];
  /** Default BFS, or what the configuration says. */
  readonly strategy?: Strategy;
  /** Steps; default 1000. */
  readonly maxSteps?: number;
  readonly maxDepth?: number;
  /** Seconds, or a duration such as `"5m"`. */
  readonly maxTime?: Duration;
  readonly stopOnFirstViolation?: boolean;
  /** Default 0. */
  readonly seed?: number;
  /** Brings the world to the root state (log in, seed). Runs again whenever a lane is rebuilt. */
  readonly setup?: (world: World<C, A>) => void | Promise<void>;
}

/** What is to be explored, checked for what can be known without running it. */
export class AgentDefinition<C extends object = Values, A = ApiClient> {
  readonly name: string | undefined;
  readonly world: World<C, A> | ((lane: Lane) => World<C, A> | Promise<World<C, A>>) | undefined;
  readonly actions: readonly Action<C, A>[];
  readonly invariants: readonly Invariant<C, A>[];
  readonly strategy: Strategy | undefined;
  readonly maxSteps: number | undefined;
  readonly maxDepth: number | undefined;
  readonly maxTime: number | undefined;
  readonly stopOnFirstViolation: boolean | undefined;
  readonly seed: number | undefined;
  readonly setup: ((world: World<C, A>) => void | Promise<void>) | undefined;

  /** @throws SeqqaError `AGENT_INVALID` for empty or duplicate actions, duplicate invariants, and budgets out of range. */
  constructor(options: AgentOptions<C, A>) {
    this.name = options.name;
    this.world = options.world;
    this.actions = options.actions;
    this.invariants = options.invariants;
    this.strategy = options.strategy;
    this.maxSteps = positive("maxSteps", options.maxSteps, true);
    this.maxDepth = positive("maxDepth", options.maxDepth, true);
    this.maxTime = positive("maxTime", typeof options.maxTime === "string" ? (secondsOf(options.maxTime) ?? NaN) : options.maxTime, false);
    this.stopOnFirstViolation = options.stopOnFirstViolation;
    this.seed = options.seed;
    this.setup = options.setup;
    if (options.strategy !== undefined && !KINDS.includes(options.strategy.kind)) {
      throw invalid(
        "The Agent's strategy is none of the four.",
        "Write strategy: new BFS(), new DFS(), new Random() or new CoverageGuided().",
      );
    }
    checkMembers("actions", options.actions, Action, "Action");
    checkMembers("invariants", options.invariants, Invariant, "Invariant");
    if (options.actions.length === 0) {
      throw invalid("The Agent has no actions.", "List at least one Action in `actions`.");
    }
    if (options.seed !== undefined && !Number.isSafeInteger(options.seed)) {
      throw invalid(`The Agent's seed is ${String(options.seed)}, not an integer.`);
    }
  }

  /** The order of exploration when the configuration does not say. */
  static readonly defaultStrategy: Strategy = new BFS();
}

const KINDS: readonly unknown[] = ["bfs", "dfs", "random", "coverage_guided"] satisfies Strategy["kind"][];

function invalid(message: string, hint?: string): SeqqaError {
  return new SeqqaError("AGENT_INVALID", message, { exitStatus: 2, hint });
}

function positive(name: string, value: number | undefined, integer: boolean): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== "number" || !(value > 0) || (integer && !Number.isSafeInteger(value))) {
    throw invalid(
      `The Agent's ${name} is ${String(value)}; it must be ${integer ? "an integer of at least 1" : "a number of seconds above 0"}.`,
    );
  }
  return value;
}

function checkMembers(field: string, members: unknown, type: abstract new (...args: never[]) => unknown, typeName: string): void {
  if (!Array.isArray(members)) throw invalid(`The Agent's ${field} are not a list.`, `Pass ${field}: [new ${typeName}(...)].`);
  const seen = new Map<string, number>();
  members.forEach((member: unknown, index) => {
    if (!(member instanceof type))
      throw invalid(`The Agent's ${field}[${index}] is not an instance of ${typeName}.`, `Write new ${typeName}({ ... }).`);
    const name = (member as { readonly name: string }).name;
    const first = seen.get(name);
    if (first !== undefined) {
      throw invalid(
        `The Agent's ${field}[${first}] and ${field}[${index}] have the same name "${name}".`,
        "Names appear in paths and must differ.",
      );
    }
    seen.set(name, index);
  });
}
