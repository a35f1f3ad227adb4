import { expect, test } from "vitest";
import { RedisAdapter } from "../../../../src/adapters/redis/index.ts";
import { Action } from "../../../../src/model/declare/action.ts";
import { AgentDefinition } from "../../../../src/model/declare/agent.ts";
import { World } from "../../../../src/model/declare/world.ts";
import { ApiResponse } from "../../../../src/model/http/response.ts";
import { laneOf } from "../../../support/lane-parts.ts";
import { ownServer } from "./scratch.ts";

const server = ownServer();
const TOOK = 'hash.value where {"key":"order:*","field":"took"}';

test.each([
  ["the store", { store: [TOOK], world: [] }],
  ["the World", { store: [], world: [TOOK] }],
  ["the World, with the name of the store", { store: [], world: [`db.${TOOK}`] }],
])("a field that seqqa names is left out of states and experiments if `ignore` of %s lists it", async (_where, ignore) => {
  const target = server.client();
  let calls = 0;
  const api = {
    pay: async () => {
      const word = ["fast", "slow", "late"][++calls % 3]!;
      await target.hset("order:1", "status", "paid", "took", word);
      return ApiResponse.of(200);
    },
  };
  const pay = new Action({ name: "pay", run: async (client: typeof api) => client.pay() });
  const definition = new AgentDefinition({
    world: () => new World({ api, systems: { db: new RedisAdapter({ url: server.url(1), ignore: ignore.store }) }, ignore: ignore.world }),
    actions: [pay] as never,
    invariants: [],
  });
  await target.select(1);
  await target.hset("order:1", "status", "new", "took", "fast");
  const { base, runtime } = await laneOf(definition, { allowedStores: ["127.0.0.1/1"] });
  try {
    const [one, other] = [await runtime.record([0]), await runtime.record([0])];
    expect([one.reached!.lo, one.reached!.hi]).toEqual([other.reached!.lo, other.reached!.hi]);
    expect(await runtime.calibrate()).toMatchObject({ suspects: [] });
    expect(base.canonicalizer.describe(await base.state.facts()).join()).not.toContain("slow");
  } finally {
    await base.world.close();
  }
  expect(await target.hgetall("order:1")).toEqual({ status: "new", took: "fast" });
});
