import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { HttpClient } from "../../../../src/adapters/http/index.ts";
import { MemoryAdapter } from "../../../../src/adapters/memory/index.ts";
import { tryFaults } from "../../../../src/faults/index.ts";
import type { FaultAnswer } from "../../../../src/messages/fault-messages.ts";
import { Action } from "../../../../src/model/declare/action.ts";
import { AgentDefinition } from "../../../../src/model/declare/agent.ts";
import { World } from "../../../../src/model/declare/world.ts";
import { laneOf } from "../../../support/lane-parts.ts";

interface Bank {
  payments: { amount: number }[];
  keys: string[];
}

/** Loses the answer of one payment. `remembers`: the API pays once for each key. */
async function loseAnswer(remembers: boolean, headersOf: () => Record<string, string>, pathOf = () => "/pay"): Promise<FaultAnswer> {
  const store = new MemoryAdapter<Bank>({ state: { payments: [], keys: [] } });
  const handler = ({ headers }: Request): Promise<Response> => {
    const key = headers.get("idempotency-key") ?? "";
    const isNew = !remembers || !store.state.keys.includes(key);
    if (isNew) store.state.payments.push({ amount: 100 });
    if (remembers && isNew) store.state.keys.push(key);
    return Promise.resolve(Response.json({ ok: true }));
  };
  const definition = new AgentDefinition<object, HttpClient>({
    world: new World({ api: new HttpClient(handler), systems: { bank: store } }),
    actions: [new Action<object, HttpClient>({ name: "pay", run: (api) => api.post(pathOf(), { headers: headersOf() }) })],
    invariants: [],
  });
  const { runtime } = await laneOf(definition as unknown as AgentDefinition<never, never>);
  return tryFaults(runtime, { path: [], action: 0, kinds: ["lost_answer"], bestEffort: [], from: 0 });
}

const twice = { tried: 1, hits: [{ verdict: "repeated_write" }], failure: undefined };
const nothing = { tried: 1, hits: [], failure: undefined };

describe("a lost answer of a request with an idempotency key", () => {
  it("shows an API that does its work again for the same key", async () => {
    expect(await loseAnswer(false, () => ({ "Idempotency-Key": "order-1" }))).toMatchObject(twice);
    expect(await loseAnswer(true, () => ({ "Idempotency-Key": "order-1" }))).toMatchObject(nothing);
  });

  it("is not judged by the state if the repeated action draws another key or calls another URL, because that is another request", async () => {
    expect(await loseAnswer(true, () => ({ "Idempotency-Key": randomUUID() }))).toMatchObject(nothing);
    const paths = ["/pay/0", "/pay/1", "/pay/2", "/pay/3"];
    const fixed = { "Idempotency-Key": "order-1" };
    expect(
      await loseAnswer(
        false,
        () => fixed,
        () => paths.shift() ?? "/pay",
      ),
    ).toMatchObject(nothing);
  });
});
