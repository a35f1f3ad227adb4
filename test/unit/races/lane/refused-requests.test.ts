import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { HttpClient } from "../../../../src/adapters/http/index.ts";
import { MemoryAdapter } from "../../../../src/adapters/memory/index.ts";
import type { RaceAnswer } from "../../../../src/messages/race-messages.ts";
import { Action } from "../../../../src/model/declare/action.ts";
import { AgentDefinition } from "../../../../src/model/declare/agent.ts";
import { World } from "../../../../src/model/declare/world.ts";
import { RaceLane } from "../../../../src/races/index.ts";
import { laneOf } from "../../../support/lane-parts.ts";

interface Shop {
  carts: number;
  paid: number;
  failures: number;
  redeemed: boolean;
}

interface Defects {
  /** A refused payment has an effect, but not that of an accepted payment. */
  readonly counts?: boolean;
  /** A cart that is made during another request is lost. */
  readonly loses?: boolean;
  /** A code can be redeemed twice. */
  readonly redeems?: boolean;
}

interface Told {
  /** Called for each request. */
  readonly onRequest?: () => void;
  /** Returns the text of a refused payment. */
  readonly text?: () => string;
}

const refused = (status = 409, error = "busy"): Response => Response.json({ error }, { status });

/** A shop that refuses a payment during another payment, and a login that counts failures. */
function handlerOf(
  store: MemoryAdapter<Shop>,
  { counts = false, loses = false, redeems = false, onRequest, text }: Defects & Told,
): (request: Request) => Promise<Response> {
  let isBusy = false;
  const paths: Readonly<Record<string, (state: Shop) => Promise<Response>>> = {
    "/carts": async (state) => {
      const { carts } = state;
      if (loses) await sleep(1);
      state.carts = loses ? carts + 1 : state.carts + 1;
      return Response.json({}, { status: 201 });
    },
    "/payments": async (state) => {
      if (isBusy) {
        if (counts) state.paid += 10;
        // The refusal comes after the answers to requests that the call sent later.
        await sleep(1);
        return refused(409, text?.());
      }
      isBusy = true;
      await sleep(2);
      isBusy = false;
      state.paid++;
      return Response.json({});
    },
    "/full": () => Promise.resolve(refused()),
    "/redeem": async (state) => {
      if (state.redeemed) return refused();
      if (redeems) await sleep(1);
      state.redeemed = true;
      return Response.json({});
    },
    "/form": () => Promise.resolve(Response.json({})),
    "/login": async (state) => {
      const { failures } = state;
      await sleep(1);
      state.failures = failures + 1;
      return refused(401);
    },
  };
  return (request) => {
    onRequest?.();
    return paths[new URL(request.url).pathname]!(store.state);
  };
}

async function race(names: readonly [string, string], defects: Defects & Told = {}, trials = 6): Promise<RaceAnswer> {
  const store = new MemoryAdapter<Shop>({ state: { carts: 0, paid: 0, failures: 0, redeemed: false } });
  const api = new HttpClient(handlerOf(store, defects));
  const actions = [
    new Action<object, HttpClient>({ name: "order", run: async (client) => (await client.post("/carts"), client.post("/payments")) }),
    new Action<object, HttpClient>({ name: "pay", run: (client) => client.post("/payments") }),
    new Action<object, HttpClient>({
      name: "try_to_pay",
      run: async (client) => {
        const cart = await client.post("/carts");
        await client.post("/payments");
        return cart;
      },
    }),
    new Action<object, HttpClient>({ name: "login", run: async (client) => (await client.get("/form"), client.post("/login")) }),
    new Action<object, HttpClient>({
      name: "order_at_once",
      run: async (client) => (await Promise.all([client.post("/payments"), client.post("/carts")]))[0],
    }),
    new Action<object, HttpClient>({ name: "redeem", run: async (client) => (await client.post("/full"), client.post("/redeem")) }),
  ];
  const world = new World({ api, systems: { shop: store } });
  const definition = new AgentDefinition<object, HttpClient>({ world, actions, invariants: [] });
  const { runtime } = await laneOf(definition as unknown as AgentDefinition<never, never>, { clockMs: Date.now() });
  const lane = new RaceLane(runtime);
  const sides = names.map((name) => actions.findIndex((action) => action.name === name));
  const effort = { first: 2, trials, delivery: "auto", seed: 0 } as const;
  try {
    return await lane.race({ path: [], sides, effort, mode: "search" });
  } finally {
    await lane.close();
  }
}

const PAIRS = [
  ["order", "order"],
  ["order", "pay"],
  ["try_to_pay", "try_to_pay"],
  ["try_to_pay", "pay"],
  ["order_at_once", "order_at_once"],
] as const;

describe("a call of which only a later request is refused", () => {
  it.each(PAIRS)("leaves what its earlier requests wrote: %s || %s", async (...names) => {
    expect(await race(names)).toMatchObject({ hit: undefined, hits: 0, dismissed: undefined, failure: undefined });
  });

  it.each(PAIRS)("races if the refused request writes: %s || %s", async (...names) => {
    expect((await race(names, { counts: true })).hit).toMatchObject({ verdict: "state" });
  });

  it("races if what its earlier requests wrote is lost", async () => {
    expect((await race(["try_to_pay", "try_to_pay"], { loses: true })).hit).toMatchObject({ verdict: "state" });
  });

  it("races if another request of each call is accepted, but only one in any order", async () => {
    expect((await race(["redeem", "redeem"], { redeems: true })).hit).toMatchObject({ verdict: "responses" });
    expect(await race(["redeem", "redeem"])).toMatchObject({ hit: undefined, dismissed: undefined, failure: undefined });
  });

  it("races if a refusal that always writes does not write", async () => {
    expect((await race(["login", "login"])).hit).toMatchObject({ verdict: "state" });
  });

  it.each([
    ["a time and an id", () => `${new Date().toISOString()} ${randomUUID()}`, 40],
    ["random letters", () => Array.from(randomUUID(), (letter) => "ghijkmnop"[letter.charCodeAt(0) % 9]).join(""), 80],
  ])("is not executed again for each trial because each refusal has another text: %s", async (_what, text, most) => {
    let requests = 0;
    const { hit, trials, misses } = await race(["order", "order"], { text, onRequest: () => requests++ }, 40);
    expect([hit, trials]).toEqual([undefined, 40]);
    expect(requests - 4 * (trials + misses)).toBeLessThan(most);
  });
});
