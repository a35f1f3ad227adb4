import { expect, it } from "vitest";
import { MemoryAdapter } from "../../../../src/adapters/memory/index.ts";
import { EXPANDED } from "../../../../src/engine/graph/node-table.ts";
import { Action } from "../../../../src/model/declare/action.ts";
import { AgentDefinition } from "../../../../src/model/declare/agent.ts";
import { World } from "../../../../src/model/declare/world.ts";
import { ApiResponse } from "../../../../src/model/http/response.ts";
import { runExplorer } from "../../../support/run-explorer.ts";

type Place = { at: string };

/** Moves between places. `c` can be reached through `b`, and directly. */
const MOVES: Readonly<Record<string, readonly [from: string, to: string]>> = {
  to_b: ["a", "b"],
  to_c: ["a", "c"],
  hop: ["b", "c"],
  stay: ["c", "c"],
  back: ["c", "a"],
};

const agent = new AgentDefinition<object, MemoryAdapter<Place>>({
  world: () => {
    const store = new MemoryAdapter<Place>({ state: { at: "a" } });
    return new World<object, MemoryAdapter<Place>>({ api: store, systems: { store }, context: {} });
  },
  invariants: [],
  actions: Object.entries(MOVES).map(
    ([name, [from, to]]) =>
      new Action<object, MemoryAdapter<Place>>({
        name,
        run: async (api) => {
          if (api.state.at !== from) return ApiResponse.of(409, {});
          api.state = { at: to };
          return ApiResponse.of(200, {});
        },
      }),
  ),
});

it("a state that gets a shorter path while some of its actions are executed is expanded once all are", async () => {
  for (let seed = 0; seed < 40; seed++) {
    const { explorer } = await runExplorer(agent, { strategy: "random", maxDepth: 10, seed });
    const { nodes, visited } = explorer.committer;
    expect([explorer.stopReason, visited.size]).toEqual(["exhausted", 3]);
    expect([0, 1, 2].map((node) => nodes.has(node, EXPANDED))).toEqual([true, true, true]);
  }
});
