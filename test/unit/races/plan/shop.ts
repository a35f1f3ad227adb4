import { Action } from "../../../../src/model/declare/action.ts";
import { AgentDefinition } from "../../../../src/model/declare/agent.ts";
import { ApiResponse } from "../../../../src/model/http/response.ts";
import type { Invariant } from "../../../../src/model/declare/invariant.ts";
import { World } from "../../../../src/model/declare/world.ts";
import { MemoryAdapter } from "../../../../src/adapters/memory/index.ts";

const answer = (status: number): Promise<ApiResponse> =>
  Promise.resolve(new ApiResponse(status, "", {}, { method: "POST", url: "/", headers: {} }, 0));

/** A stock of two that can be taken from, and a flag that has nothing to do with it. */
export function shop(invariants: readonly Invariant[] = []): AgentDefinition {
  return new AgentDefinition({
    world: () => {
      const store = new MemoryAdapter({ state: { stock: 2, flag: false } });
      const api = {
        take: () => answer(store.state.stock === 0 ? 409 : (store.state.stock--, 200)),
        flag: () => answer(((store.state.flag = true), 200)),
        read: () => answer(200),
      };
      return new World({ api: api as never, systems: { shop: store } });
    },
    actions: ["take", "flag", "read"].map(
      (name) => new Action({ name, run: async (api) => (api as unknown as Record<string, () => Promise<ApiResponse>>)[name]!() }),
    ),
    invariants,
  });
}
