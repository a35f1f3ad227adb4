import { Action } from "../../src/model/declare/action.ts";
import { AgentDefinition } from "../../src/model/declare/agent.ts";
import { Invariant } from "../../src/model/declare/invariant.ts";
import { ApiResponse } from "../../src/model/http/response.ts";
import { World } from "../../src/model/declare/world.ts";
import { MemoryAdapter } from "../../src/adapters/memory/index.ts";
import type { Draws } from "./draws.ts";

/** What an action does in a state of a random graph. */
export type Behaviour =
  /** Its precondition is not met. */
  | { readonly kind: "unmet" }
  /** It looks and returns null. */
  | { readonly kind: "null" }
  /** It changes the state and returns null all the same: skipped, with an error. */
  | { readonly kind: "changed_null"; readonly to: number }
  /** It changes the state and throws: an error, executed, no state. */
  | { readonly kind: "throw"; readonly to: number }
  | { readonly kind: "answer"; readonly to: number; readonly status: number };

/** A graph of numbered states; 0 is the root. */
export interface Graph {
  readonly states: number;
  readonly actions: number;
  /** By state, then by action. */
  readonly table: readonly (readonly Behaviour[])[];
  /** States in which the invariant `safe` does not hold. */
  readonly unsafe: readonly boolean[];
  /** States in which `odd_safe` does not hold, which is checked after actions of odd numbers only (and in the root). */
  readonly oddUnsafe: readonly boolean[];
  /** Actions with `expectedStatus: "2xx"`. */
  readonly strict: readonly boolean[];
}

export interface GraphShape {
  readonly states: number;
  readonly actions: number;
  /** Shares of self-loops, of actions that do not apply, of errors, and of findings. */
  readonly loops: number;
  readonly skips: number;
  readonly errors: number;
  readonly findings: number;
}

export function randomGraph(draws: Draws, shape: GraphShape): Graph {
  const { states, actions } = shape;
  const behaviour = (state: number): Behaviour => {
    // Mostly near neighbours, so that graphs have depth.
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

/** The state is told by store and context together, so that both have to be observed and put back. */
const stateOf = (world: { readonly api: Api; readonly context: { readonly odd: number } }): number =>
  world.api.state.half * 2 + world.context.odd;

/** The graph as an agent over a world in memory. */
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
    // A precondition sees the context alone; where it cannot tell, run returns null.
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
  // By turns changed in place and replaced.
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
