import { setImmediate as turn } from "node:timers/promises";
import { expect, it } from "vitest";
import { Action, Agent, Invariant, World } from "seqqa";
import { ApiResponse } from "seqqa/adapters/http";
import { MemoryAdapter } from "seqqa/adapters/memory";

type Orders = MemoryAdapter<{ paid: number }>;

/** Explores an order that simultaneous calls can pay twice, but only the given number of times. */
function explored(times: number): ReturnType<Agent["explore"]> {
  let left = times;
  const pay = async ({ state }: Orders): Promise<ApiResponse> => {
    if (state.paid > 0) return ApiResponse.of(409);
    await turn();
    if (state.paid > 0 && left-- <= 0) return ApiResponse.of(409);
    state.paid++;
    return ApiResponse.of(200);
  };
  return new Agent<object, Orders>({
    name: "shop",
    world: () => {
      const db = new MemoryAdapter({ state: { paid: 0 } });
      return new World<object, Orders>({ api: db, systems: { db } });
    },
    actions: [new Action<object, Orders>({ name: "pay", run: pay })],
    invariants: [new Invariant<object, Orders>({ name: "paid_once", check: ({ api }) => api.state.paid < 2 })],
    maxDepth: 2,
    races: { trials: 5 },
  }).explore();
}

it("a rule that broke once in a race makes the result unverified, and a rule that holds does not", async () => {
  expect(await explored(0)).toMatchObject({ races: [], unverified: [], raceCoverage: { dismissed: {} } });
  const rare = await explored(1);
  expect(rare).toMatchObject({ races: [], raceCoverage: { dismissed: { not_repeated: 1 } } });
  expect(rare.unverified).toEqual([
    "A trial showed the race pay || pay in the root state, but seqqa could not confirm it, because no trial on the rebuilt lane broke the rule again. The rule paid_once broke in 1 of 6 trials.",
  ]);
  const { races } = await explored(1_000);
  expect(races).toMatchObject([{ invariant: "paid_once", trials: 5 }]);
  expect(races[0]!.hits).toBeGreaterThan(0);
});
