import { Action } from "../../src/model/declare/action.ts";
import { AgentDefinition } from "../../src/model/declare/agent.ts";
import { Invariant } from "../../src/model/declare/invariant.ts";
import { ApiResponse } from "../../src/model/http/response.ts";
import { World } from "../../src/model/declare/world.ts";
import { MemoryAdapter } from "../../src/adapters/memory/index.ts";
import type { Draws } from "./draws.ts";

/** The behaviour of an action in a state of a random graph. */
export type Behaviour =
  /** The precondition of the action is not met. */
  | { readonly kind: "unmet" }
  /** The action reads and returns `null`. */
  | { readonly kind: "null" }
  /** The action changes the state, but returns `null`. It counts as skipped, with an error. */
  | { readonly kind: "changed_null"; readonly to: number }
  /** The action changes the state and throws. It counts as executed, with an error, and leads to no state. */
  | { readonly kind: "throw"; readonly to: number }
  | { readonly kind: "answer"; readonly to: number; readonly status: number };

/** A graph of numbered states; 0 is the root. */
export interface Graph {
  readonly states: number;
  readonly actions: number;
  /** The behaviours: one row for each state, one entry for each action. */
  readonly table: readonly (readonly Behaviour[])[];
  /** For each state, `true` if the invariant `safe` does not hold in it. */
  readonly unsafe: readonly boolean[];
  /**
   * For each state, `true` if `odd_safe` does not hold in it. This invariant is checked only in the root state and after actions with odd numbers.
   */
  readonly oddUnsafe: readonly boolean[];
  /** For each action, `true` if it has `expectedStatus: "2xx"`. */
  readonly strict: readonly boolean[];
}

export interface GraphShape {
  readonly states: number;
  readonly actions: number;
  /** The shares of self-loops (`loops`), of actions that do not apply (`skips`), of errors, and of findings. */
  readonly loops: number;
  readonly skips: number;
  readonly errors: number;
  readonly findings: number;
}

export function randomGraph(draws: Draws, shape: GraphShape): Graph {
  const { states, actions } = shape;
  const behaviour = (state: number): Behaviour => {
    // Most edges lead to near neighbours, so that the graph becomes deep.
    const to = draws.chance(shape.loops) ? state : draws.chance(0.7) ? (state + 1 + draws.below(2)) % states : draws.below(states);
    if (draws.chance(shape.skips)) return draws.chance(0.7) ? { kind: "unmet" } : { kind: "null" };
    if (draws.chance(shape.errors)) return draws.chance(0.3) ? { kind: "changed_null", to: (state + 1) % states } : { kind: "throw", to };
    if (draws.chance(shape.findings)) return { kind: "answer", to, status: draws.pick([500, 503, 404]) };
    return { kind: "answer", to, status: draws.pick([200, 200, 201, 404]) };
  };
  const flags = (share: number): boolean[] => Array.from({ length: states }, (_, state) => draws.chance(state === 0 ? share / 4 : share));
  return {
    states,
    actions,
    table: Array.from({ length: states }, (_, state) => Array.from({ length: actions }, () => behaviour(state))),
    unsafe: flags(shape.findings),
    oddUnsafe: flags(shape.findings),
    strict: Array.from({ length: actions }, () => draws.chance(shape.findings)),
  };
}

interface Stored {
  half: number;
  path: { text: string };
}

type Api = MemoryAdapter<Stored>;
type Shared = { odd: number };

/** Returns the number of the state. The store and the context each hold a part of it, so that both have to be observed and restored. */
const stateOf = (world: { readonly api: Api; readonly context: { readonly odd: number } }): number =>
  world.api.state.half * 2 + world.context.odd;

/** Returns an agent with a world in memory whose state graph is the given graph. */
export function agentOf(graph: Graph): AgentDefinition<Shared, Api> {
  return new AgentDefinition<Shared, Api>({
    world: () => {
      const store = new MemoryAdapter<Stored>({ state: stored(0) });
      return new World<Shared, Api>({ api: store, systems: { store }, context: { odd: 0 } });
    },
    actions: Array.from({ length: graph.actions }, (_, index) => actionOf(graph, index)),
    invariants: [
      new Invariant<Shared, Api>({ name: "safe", check: (world) => !graph.unsafe[stateOf(world)]! }),
      new Invariant<Shared, Api>({
        name: "odd_safe",
        when: ({ tags }) => tags.includes("odd"),
        check: async (world) => !graph.oddUnsafe[stateOf(world)]!,
      }),
    ],
  });
}

function actionOf(graph: Graph, index: number): Action<Shared, Api> {
  const name = `a${index}`;
  return new Action<Shared, Api>({
    name,
    tags: index % 2 === 1 ? ["odd"] : [],
    ...(graph.strict[index] === true ? { expectedStatus: "2xx" as const } : {}),
    // A precondition sees only the context. If the context does not suffice to decide, the precondition holds, and `run` returns `null`.
    precondition: (context) => graph.table.some((row, state) => state % 2 === context.odd && row[index]!.kind !== "unmet"),
    run: async (api, context) => {
      const state = api.state.half * 2 + context.odd;
      const does = graph.table[state]![index]!;
      if (state % 3 === 0) await Promise.resolve();
      if (does.kind === "unmet" || does.kind === "null") return null;
      go(api, context, does.to);
      if (does.kind === "changed_null") return null;
      if (does.kind === "throw") throw new Error(`${name} fails`);
      return ApiResponse.of(does.status, { state: does.to });
    },
  });
}

function go(api: Api, context: { odd: number }, to: number): void {
  // Half of the states replace the stored value, and the others change it in place.
  if (to % 2 === 0) api.state = stored(to);
  else {
    api.state.half = to >> 1;
    api.state.path.text = "x".repeat(to >> 1);
  }
  if (context.odd !== to % 2) context.odd = to % 2;
}

function stored(state: number): Stored {
  return { half: state >> 1, path: { text: "x".repeat(state >> 1) } };
}
