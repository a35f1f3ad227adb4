import { Action } from "./action.ts";
import type { ApiClient } from "../http/client.ts";
import type { Values } from "../context/context.ts";
import { checkBounds, checkMembers, invalid } from "./declared.ts";
import type { Duration } from "../text/duration.ts";
import type { GraphShape } from "./graph-shape.ts";
import { Invariant } from "./invariant.ts";
import type { JourneyDefinition } from "./journey.ts";
import type { Lane } from "./lane.ts";
import { declaredFaults, type DeclaredFaults, type FaultsSetting } from "./faults.ts";
import { declaredRaces, type DeclaredRaces, type RacesSetting } from "./races.ts";
import type { Severity } from "./severity.ts";
import { Rule, type Login } from "./rule.ts";
import { BFS, type Strategy } from "./strategy.ts";
import { refuseUnknown } from "./unknown-options.ts";
import type { World } from "./world.ts";

/** The engine keeps an action's index in 16 bits, and one value is reserved for "no action". */
const MOST_ACTIONS = 0xffff;

type Setup<C extends object, A> = ((world: World<C, A>) => void | Promise<void>) | JourneyDefinition<C, A>;

/** Options of an {@link Agent}. */
export interface AgentOptions<C extends object = Values, A = ApiClient> {
  /** Default: the name of the file. */
  readonly name?: string;
  /** A world, or a factory that builds one for a lane; needed for more than one lane. */
  readonly world?: World<C, A> | ((lane: Lane) => World<C, A> | Promise<World<C, A>>);
  /** The calls that users can make, each with a name of its own. They are tried in this order. */
  readonly actions: readonly Action<C, A>[];
  /** The rules that are checked after every step, each with a name of its own. */
  readonly invariants: readonly Invariant<C, A>[];
  /** Default: the configuration's strategy, else BFS. */
  readonly strategy?: Strategy;
  /** Steps; default 1000. */
  readonly maxSteps?: number;
  /** The largest number of steps from the root state. Default: no limit. */
  readonly maxDepth?: number;
  /** Seconds, or a duration such as `"5m"`. */
  readonly maxTime?: Duration;
  /** `true`: the exploration ends with the first broken rule. Default: the value in the configuration, else `false`. */
  readonly stopOnFirstViolation?: boolean;
  /**
   * `true`: states that violate a rule are explored from, too. The broken rule is reported again only after it has held in between; other rules are
   * judged as usual. Default: the value in the configuration, else `false`.
   */
  readonly continueAfterViolation?: boolean;
  /** Default 0. */
  readonly seed?: number;
  /** The setting for sending pairs of actions at the same time; default: the value in the configuration, else `"off"`. */
  readonly races?: RacesSetting;
  /** Makes each write of each kind of call fail, one at a time; default: `exploration.faults` of the configuration. */
  readonly faults?: FaultsSetting;
  /**
   * Brings the world to the root state (log in, seed): a function, or a journey, which runs on the world's own client and context. Runs again
   * whenever a lane is rebuilt.
   */
  readonly setup?: Setup<C, A>;
}

const OPTIONS: readonly (keyof AgentOptions)[] = [
  "name",
  "world",
  "actions",
  "invariants",
  "strategy",
  "maxSteps",
  "maxDepth",
  "maxTime",
  "stopOnFirstViolation",
  "continueAfterViolation",
  "seed",
  "races",
  "faults",
  "setup",
];

/** A pair of actions that a rule wants raced. */
export interface RuleRace {
  readonly rule: string;
  readonly severity: Severity;
  /** The indices of the actions. */
  readonly pair: readonly [number, number];
}

/** The agent of an exploration. Everything that can be known without running it is checked. */
export class AgentDefinition<C extends object = Values, A = ApiClient> {
  readonly name: string | undefined;
  readonly world: World<C, A> | ((lane: Lane) => World<C, A> | Promise<World<C, A>>) | undefined;
  readonly actions: readonly Action<C, A>[];
  /** The number of the agent's own actions; actions that rules add come after them. */
  readonly ownActions: number;
  readonly invariants: readonly Invariant<C, A>[];
  readonly strategy: Strategy | undefined;
  readonly maxSteps: number | undefined;
  readonly maxDepth: number | undefined;
  readonly maxTime: number | undefined;
  readonly stopOnFirstViolation: boolean | undefined;
  readonly continueAfterViolation: boolean | undefined;
  readonly seed: number | undefined;
  readonly races: DeclaredRaces | undefined;
  readonly faults: DeclaredFaults | undefined;
  readonly setup: Setup<C, A> | undefined;
  /** The number of clients without credentials that rules need. */
  readonly guests: number;
  /** Pairs of actions that rules want raced whatever `exploration.races` says. */
  readonly ruleRaces: readonly RuleRace[];
  /** Roles that rules need, and the login of each. */
  readonly users: Readonly<Record<string, Login>>;

  /** The `StateGraph` from which the agent was compiled; its edges are the actions, index by index. */
  readonly graph: GraphShape | undefined = undefined;

  /**
   * @throws SeqqaError `AGENT_INVALID` for empty, duplicate or more than 65,535 actions, duplicate invariants, budgets out of range, and unknown
   * options.
   */
  constructor(options: AgentOptions<C, A>) {
    refuseUnknown("The Agent", "AGENT_INVALID", options, OPTIONS);
    this.name = options.name;
    this.world = options.world;
    this.invariants = options.invariants;
    this.strategy = options.strategy;
    const { maxSteps, maxDepth, maxTime } = checkBounds("Agent", options);
    this.maxSteps = maxSteps;
    this.maxDepth = maxDepth;
    this.maxTime = maxTime;
    this.stopOnFirstViolation = options.stopOnFirstViolation;
    this.continueAfterViolation = options.continueAfterViolation;
    this.seed = options.seed;
    this.races = declaredRaces(options.races);
    this.faults = declaredFaults(options.faults);
    this.setup = options.setup;
    checkMembers("Agent", "actions", options.actions, Action, "Action");
    checkMembers("Agent", "invariants", options.invariants, Invariant, "Invariant");
    if (options.actions.length === 0) throw invalid("Agent", "The Agent has no actions.", "List at least one Action in `actions`.");
    const rules = options.invariants.filter((one): one is Rule<C, A> => one instanceof Rule);
    this.ownActions = options.actions.length;
    const brought = rules.flatMap((rule) => rule.brings(options.actions));
    this.actions = brought.length === 0 ? options.actions : [...options.actions, ...brought];
    checkMembers("Agent", "actions", this.actions, Action, "Action");
    if (this.actions.length > MOST_ACTIONS) {
      const count = `The Agent has ${this.actions.length} actions${brought.length === 0 ? "" : `, ${brought.length} of them from its rules`}`;
      throw invalid("Agent", `${count}: at most ${MOST_ACTIONS} are possible.`, "Divide them between several explorations.");
    }
    this.guests = Math.max(0, ...rules.map(({ guests }) => guests));
    const indexOf = (name: string): number => this.actions.findIndex((action) => action.name === name);
    this.ruleRaces = rules
      .flatMap(({ name, severity, races }) =>
        races.map(([one, other]) => ({ rule: name, severity, pair: [indexOf(one), indexOf(other)] as const })),
      )
      .filter(({ pair }) => !pair.includes(-1));
    this.users = Object.assign(Object.create(null), ...rules.map(({ users }) => users)) as Readonly<Record<string, Login>>;
  }

  /** The order of exploration when the configuration names none. */
  static readonly defaultStrategy: Strategy = new BFS();
}
