import { Action } from "./action.ts";
import type { ApiClient } from "../http/client.ts";
import type { Values } from "../context/context.ts";
import { checkBounds, checkMembers, invalid } from "./declared.ts";
import type { Duration } from "../text/duration.ts";
import type { GraphShape } from "./state-graph/graph-shape.ts";
import { Invariant } from "./invariant.ts";
import type { JourneyDefinition } from "./journey/journey.ts";
import type { Lane } from "./lane.ts";
import { declaredFaults, type DeclaredFaults, type FaultsSetting } from "./search/faults.ts";
import { declaredRaces, type DeclaredRaces, type RacesSetting } from "./search/races.ts";
import type { Severity } from "./severity.ts";
import { Rule, type Login } from "./rule.ts";
import { BFS, type Strategy } from "./search/strategy.ts";
import { refuseUnknown } from "./unknown-options.ts";
import type { World } from "./world.ts";

/** The largest number of actions. The engine stores an action's index in 16 bits, and reserves one value for "no action". */
const MOST_ACTIONS = 0xffff;

type Setup<C extends object, A> = ((world: World<C, A>) => void | Promise<void>) | JourneyDefinition<C, A>;

/** Options of an {@link Agent}. */
export interface AgentOptions<C extends object = Values, A = ApiClient> {
  /** The name of the exploration. Default: the name of the file. */
  readonly name?: string;
  /** A world, or a function that builds a world for a lane. More than one lane needs the function. */
  readonly world?: World<C, A> | ((lane: Lane) => World<C, A> | Promise<World<C, A>>);
  /** The calls that users can make, each with a unique name. In each state they are tried in this order. */
  readonly actions: readonly Action<C, A>[];
  /** The rules that are checked after every step, each with a unique name. */
  readonly invariants: readonly Invariant<C, A>[];
  /** The order of exploration. Default: the configuration's strategy, else BFS. */
  readonly strategy?: Strategy;
  /** The largest number of steps. Default: the value in the configuration, else 1000. */
  readonly maxSteps?: number;
  /** The largest number of steps from the root state. Default: the value in the configuration, else no limit. */
  readonly maxDepth?: number;
  /** The time limit: seconds, or a duration such as `"5m"`. Default: the value in the configuration, else no limit. */
  readonly maxTime?: Duration;
  /** `true` if the exploration ends with the first broken rule. Default: the value in the configuration, else `false`. */
  readonly stopOnFirstViolation?: boolean;
  /**
   * `true` if the exploration also continues from states that violate a rule. The broken rule is reported again only after a state in which the rule
   * holds. Other rules are judged as usual. Default: the value in the configuration, else `false`.
   */
  readonly continueAfterViolation?: boolean;
  /** The seed of all random choices. Default: the value in the configuration, else 0. */
  readonly seed?: number;
  /** The setting for the search for races, which sends pairs of actions at the same time. Default: the value in the configuration, else `"off"`. */
  readonly races?: RacesSetting;
  /**
   * The setting for fault injection, which makes each write of each kind of call fail, one at a time. Default: the value in the configuration, else
   * `"off"`.
   */
  readonly faults?: FaultsSetting;
  /**
   * Brings the world to the root state (log in, seed): a function, or a journey that runs on the world's own client and context. The setup runs again
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

/** A pair of actions that a rule probes for races. */
export interface RuleRace {
  readonly rule: string;
  readonly severity: Severity;
  /** The indices of the two actions. */
  readonly pair: readonly [number, number];
}

/** The agent of an exploration. The constructor checks everything that can be checked without running the agent. */
export class AgentDefinition<C extends object = Values, A = ApiClient> {
  readonly name: string | undefined;
  readonly world: World<C, A> | ((lane: Lane) => World<C, A> | Promise<World<C, A>>) | undefined;
  readonly actions: readonly Action<C, A>[];
  /** The number of actions that the user declared. The user's actions are at the beginning of `actions`, before the actions that rules add. */
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
  /** The number of clients without credentials that the rules need. */
  readonly guests: number;
  /** Pairs of actions that rules probe for races, even if `exploration.races` is off. */
  readonly ruleRaces: readonly RuleRace[];
  /** For each rule: the names of the actions whose steps the rule judges. The list is empty for a rule that judges the steps of every action. */
  readonly subjects: ReadonlyMap<string, readonly string[]>;
  /** The roles that rules need, each with its login. If several rules have a login for a role, the first one is used. */
  readonly users: Readonly<Record<string, Login>>;

  /**
   * The shape of the `StateGraph` that the agent was compiled from; edge n is action n. `undefined` for an agent that the user wrote with actions.
   */
  readonly graph: GraphShape | undefined = undefined;

  /**
   * @throws SeqqaError `AGENT_INVALID` if there are no actions or more than 65,535, if two actions or invariants have the same name, if a budget is
   * out of range, or if an option is unknown
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
    const subjects = new Map<string, readonly string[]>();
    const brought = rules.flatMap((rule) => {
      const actions = rule.brings(options.actions);
      subjects.set(rule.name, [...rule.subjects, ...actions.map(({ name }) => name)]);
      return actions;
    });
    this.subjects = subjects;
    this.actions = brought.length === 0 ? options.actions : [...options.actions, ...brought];
    checkMembers("Agent", "actions", this.actions, Action, "Action");
    if (this.actions.length > MOST_ACTIONS) {
      const count = `The Agent has ${this.actions.length} actions${brought.length === 0 ? "" : `, ${brought.length} of them from its rules`}`;
      throw invalid(
        "Agent",
        `${count}, but an Agent may have at most ${MOST_ACTIONS}.`,
        "Divide the actions between several explorations.",
      );
    }
    this.guests = Math.max(0, ...rules.map(({ guests }) => guests));
    const indexOf = (name: string): number => this.actions.findIndex((action) => action.name === name);
    this.ruleRaces = rules
      .flatMap(({ name, severity, races }) =>
        races.map(([one, other]) => ({ rule: name, severity, pair: [indexOf(one), indexOf(other)] as const })),
      )
      .filter(({ pair }) => !pair.includes(-1));
    const users = Object.create(null) as Record<string, Login>;
    for (const [role, login] of rules.flatMap((rule) => Object.entries(rule.users))) users[role] ??= login;
    this.users = users;
  }

  /** The strategy that is used if neither the agent nor the configuration has one. */
  static readonly defaultStrategy: Strategy = new BFS();
}
