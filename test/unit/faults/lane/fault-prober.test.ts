import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { HttpClient } from "../../../../src/adapters/http/index.ts";
import { MemoryAdapter } from "../../../../src/adapters/memory/index.ts";
import { tryFaults } from "../../../../src/faults/index.ts";
import type { FaultAnswer } from "../../../../src/messages/fault-messages.ts";
import { Action } from "../../../../src/model/declare/action.ts";
import { AgentDefinition } from "../../../../src/model/declare/agent.ts";
import { World } from "../../../../src/model/declare/world.ts";
import type { Observed, WriteFaults } from "../../../../src/model/stores/store-adapter.ts";
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

interface Shop {
  orders: { id: number }[];
  outbox: { topic: string; ref: number }[];
}

/** A store with two tables, whose only write fails while it is armed. */
class FailingStore extends MemoryAdapter<Shop> {
  isArmed = false;

  override observe(): Observed {
    const { orders, outbox } = this.state;
    const tables = [
      { name: "orders", columns: [{ name: "id", key: true }], added: orders.map(({ id }) => [id]), removed: [] },
      { name: "outbox", columns: [{ name: "topic" }, { name: "ref" }], added: outbox.map(({ topic, ref }) => [topic, ref]), removed: [] },
    ];
    return { kind: "rows", tables: tables.filter(({ added }) => added.length > 0), counters: {} };
  }

  writeFaults(): WriteFaults {
    return {
      kind: "faults",
      kinds: ["error"],
      missing: {},
      watch: () => Promise.resolve(),
      watched: (done) => done.then(() => 1),
      arm: async () => void (this.isArmed = await Promise.resolve(true)),
      failed: (done) => done.then(() => ({ statement: "insert into outbox" })),
      disarm: async () => void (this.isArmed = await Promise.resolve(false)),
    };
  }
}

/** Makes the write of an order fail, and places the order again. The transaction that failed has used up an id, as sequences do. */
async function failOrder(refOf: (id: number) => number): Promise<FaultAnswer> {
  const store = new FailingStore({ state: { orders: [], outbox: [] } });
  let used = 0;
  const handler = (): Promise<Response> => {
    if (store.isArmed) {
      used++;
      return Promise.resolve(Response.json({ error: "insert failed" }, { status: 500 }));
    }
    const id = store.state.orders.length + 1 + used;
    used = 0;
    store.state.orders.push({ id });
    store.state.outbox.push({ topic: "placed", ref: refOf(id) });
    return Promise.resolve(Response.json({ id }, { status: 201 }));
  };
  const definition = new AgentDefinition<object, HttpClient>({
    world: new World({ api: new HttpClient(handler), systems: { shop: store } }),
    actions: [new Action<object, HttpClient>({ name: "place", run: (api) => api.post("/orders") })],
    invariants: [],
  });
  const { runtime } = await laneOf(definition as unknown as AgentDefinition<never, never>);
  return tryFaults(runtime, { path: [], action: 0, kinds: ["error"], bestEffort: [], from: 0 });
}

describe("a call that is repeated after a write that failed", () => {
  it("may give its new rows other ids, also in columns whose names do not say that they hold ids", async () => {
    expect(await failOrder((id) => id)).toMatchObject(nothing);
  });

  it("must write the same otherwise", async () => {
    expect(await failOrder((id) => 10 * id)).toMatchObject({ tried: 1, hits: [{ verdict: "no_recovery" }] });
  });
});
