import { describe, expect, it } from "vitest";
import { MemoryAdapter } from "../../../../src/adapters/memory/index.ts";
import type { ExplorationEvent } from "../../../../src/engine/events.ts";
import { Action } from "../../../../src/model/declare/action.ts";
import { AgentDefinition } from "../../../../src/model/declare/agent.ts";
import { ApiResponse } from "../../../../src/model/http/response.ts";
import { STRATEGY_KINDS } from "../../../../src/model/declare/search/strategy.ts";
import { World } from "../../../../src/model/declare/world.ts";
import { some } from "../../../sizes.ts";
import { runExplorer, type RunOptions } from "../../../support/run-explorer.ts";

type Shop = Record<string, number | boolean | string[]>;

/** A shop in memory, and what its actions do to it; one that does nothing is answered 409. */
function shop(
  state: Shop,
  actions: Readonly<Record<string, (shop: Shop) => boolean | void>>,
): AgentDefinition<object, MemoryAdapter<Shop>> {
  return new AgentDefinition<object, MemoryAdapter<Shop>>({
    world: () => {
      const store = new MemoryAdapter<Shop>({ state: structuredClone(state) });
      return new World<object, MemoryAdapter<Shop>>({ api: store, systems: { store }, context: {} });
    },
    invariants: [],
    actions: Object.entries(actions).map(
      ([name, act]) =>
        new Action<object, MemoryAdapter<Shop>>({
          name,
          run: async (api) => {
            const next = structuredClone(api.state);
            if (act(next) === false) return ApiResponse.of(409, {});
            api.state = next;
            return ApiResponse.of(200, {});
          },
        }),
    ),
  });
}

const add =
  (field: string, by = 1) =>
  (one: Shop): void =>
    void (one[field] = (one[field] as number) + by);

/** Without an end: the quantity grows, and something that changes to and fro. */
const growing = shop(
  { quantity: 0, open: false },
  { list: () => false, add_item: add("quantity"), toggle: (one) => void (one["open"] = one["open"] !== true) },
);

async function notesOf(
  agent: AgentDefinition<object, MemoryAdapter<Shop>>,
  options: RunOptions = {},
): Promise<{ live: string[]; notes: readonly string[] }> {
  const live: string[] = [];
  const onEvent = (event: ExplorationEvent): void => void (event.kind === "note" && live.push(event.message));
  const { explorer } = await runExplorer(agent, { onEvent, ...options });
  return { live, notes: explorer.chains.notes };
}

const ADDS =
  "add_item led to a new state 30 times in a row; systems.store.quantity changes each time. Add a precondition to this action, or set max_depth.";

describe("an action that leads to a new state without an end", () => {
  it.each(STRATEGY_KINDS)(
    "%s: is said once, live and in the notes, with the field that grows, for any number of lanes",
    async (strategy) => {
      // Not breadth first, a chain of one action is met late unless nothing else leads on.
      const agent = strategy === "bfs" ? growing : shop({ quantity: 0 }, { list: () => false, add_item: add("quantity") });
      const budget = { strategy, maxSteps: 300 };
      const variants: readonly RunOptions[] = [
        {},
        { lanes: 3, depth: 2, delays: true, noise: 2, losses: 0.1 },
        { direct: false },
        { lanes: 2, delays: true, noise: 1 },
        { lanes: 2, open: () => 2, delays: true },
      ];
      for (const variant of some(variants, 2)) {
        const { live, notes } = await notesOf(agent, { ...budget, ...variant });
        expect({ notes, live: live.filter((note) => note.includes("in a row")) }).toEqual({ notes: [ADDS], live: [ADDS] });
      }
    },
  );

  it("is said although the budget ends with the chain, and not where it ends one step before", async () => {
    const agent = shop({ quantity: 0 }, { list: () => false, add_item: add("quantity") });
    for (const lanes of [1, 3]) {
      expect((await notesOf(agent, { maxSteps: 60, lanes })).notes).toEqual([ADDS]);
      expect((await notesOf(agent, { maxSteps: 59, lanes })).notes).toEqual([]);
    }
  });

  it("changes nothing of the result", async () => {
    const digest = async (saidChains: Set<string> | undefined): Promise<string> =>
      (await runExplorer(growing, { maxSteps: 300, lanes: 2, depth: 2, saidChains })).explorer.committer.digest.value();
    expect(await digest(new Set())).toBe(await digest(new Set([ADDS])));
  });

  it("names a list that gets an item, and every action on its own", async () => {
    const agent = shop(
      { cart: [], total: 0 },
      { put: (one) => void (one["cart"] = [...(one["cart"] as string[]), "pen"]), earn: add("total", 5) },
    );
    const { notes } = await notesOf(agent, { maxSteps: 2200 });
    expect(notes).toEqual([
      "put led to a new state 30 times in a row; systems.store.cart gets an item each time. Add a precondition to this action, or set max_depth.",
      "earn led to a new state 30 times in a row; systems.store.total changes each time. Add a precondition to this action, or set max_depth.",
    ]);
  });

  it("is not said once more by a search that begins again", async () => {
    const { live, notes } = await notesOf(growing, { maxSteps: 300, saidChains: new Set([ADDS]) });
    expect({ live, notes }).toEqual({ live: [], notes: [ADDS] });
  });
});

describe("a finite number of states with a long path", () => {
  it("is nothing to be said of where different fields change on the way", async () => {
    const fields = Object.fromEntries(Array.from({ length: 45 }, (_, at) => [`step_${at}`, false]));
    const next = (one: Shop): boolean => {
      const open = Object.keys(fields).find((name) => one[name] === false);
      if (open !== undefined) one[open] = true;
      return open !== undefined;
    };
    for (const strategy of STRATEGY_KINDS) expect(await notesOf(shop(fields, { next }), { strategy })).toEqual({ live: [], notes: [] });
  });

  it("is nothing to be said of where the paths of one action are shorter", async () => {
    const tick = (one: Shop): boolean => {
      if ((one["quantity"] as number) >= 29) return false;
      add("quantity")(one);
      return true;
    };
    const flip = (one: Shop): void => void (one["open"] = one["open"] !== true);
    expect((await notesOf(shop({ quantity: 0, open: false }, { tick, flip }))).notes).toEqual([]);
  });

  it("is nothing to be said of where a chain is interrupted by another action each time", async () => {
    const turn =
      (own: number) =>
      (one: Shop): boolean => {
        if ((one["quantity"] as number) % 2 !== own) return false;
        add("quantity")(one);
        return true;
      };
    expect((await notesOf(shop({ quantity: 0 }, { even: turn(0), odd: turn(1) }), { maxSteps: 200 })).notes).toEqual([]);
  });
});
