import { expect, test } from "vitest";
import { RedisAdapter } from "../../../../src/adapters/redis/index.ts";
import { Action } from "../../../../src/model/declare/action.ts";
import { AgentDefinition } from "../../../../src/model/declare/agent.ts";
import { ApiResponse } from "../../../../src/model/http/response.ts";
import { World } from "../../../../src/model/declare/world.ts";
import { laneOf } from "../../../support/lane-parts.ts";
import { NOTHING_KNOWN } from "../../../../src/state/index.ts";
import { ownServer } from "./scratch.ts";

const server = ownServer();

test("of two hashes one has a field that is drawn anew each time: that one alone is left out, and no state of the other is lost", async () => {
  const target = server.client();
  let drawn = 0;
  const set = async (key: string, field: string, value: string | number): Promise<ApiResponse> => {
    await target.hset(key, field, value);
    return ApiResponse.of(200);
  };
  const api = {
    order: (n: number) => set(`order:${n}`, "price", 10.5 + ++drawn / 7),
    pay: (n: number) => set(`order:${n}`, "status", "paid"),
    visit: (n: number) => set("page:start", "price", n),
  };
  const actions = [
    new Action({ name: "order_1", run: async (client: typeof api) => client.order(1) }),
    new Action({ name: "order_2", run: async (client: typeof api) => client.order(2) }),
    new Action({ name: "pay_1", run: async (client: typeof api) => client.pay(1) }),
    new Action({ name: "visit_3", run: async (client: typeof api) => client.visit(3) }),
    new Action({ name: "visit_4", run: async (client: typeof api) => client.visit(4) }),
  ] as readonly Action<never, never>[];
  const reached = async (fields: readonly string[], ...path: readonly number[]): Promise<string> => {
    const { base, runtime } = await laneOf(definition(), {
      allowedStores: ["127.0.0.1/1"],
      knowledge: { ...NOTHING_KNOWN, dropped: fields.map((field) => ({ field, values: ["", ""] as const })) },
    });
    const { reached: at } = await runtime.record(path);
    await base.world.close();
    return `${at!.lo} ${at!.hi}`;
  };
  const definition = (): AgentDefinition<never, never> =>
    new AgentDefinition({
      world: () => new World({ api, systems: { db: new RedisAdapter({ url: server.url(1) }) } }),
      actions: actions as never,
      invariants: [],
    }) as unknown as AgentDefinition<never, never>;
  await target.select(1);
  const { base, runtime } = await laneOf(definition(), { allowedStores: ["127.0.0.1/1"] });
  const fields = (await runtime.calibrate()).suspects.map(({ field }) => field);
  await base.world.close();
  expect(fields).toEqual(['hash.value where {"key":"order:*","field":"price"}']);

  expect(await reached(fields, 0)).toBe(await reached(fields, 0));
  expect(await reached([], 0)).not.toBe(await reached([], 0));
  const states = [
    await reached(fields),
    await reached(fields, 0),
    await reached(fields, 0, 2),
    await reached(fields, 3),
    await reached(fields, 4),
  ];
  expect(new Set(states).size).toBe(5);
  // As it was: all prices and all of any other field are one.
  expect(await reached(["hash.value"], 3)).toBe(await reached(["hash.value"], 4));
});
