import { describe, expect, it } from "vitest";
import { queueActions } from "../../../../src/adapters/queue/index.ts";
import { webhookActions } from "../../../../src/adapters/stub/index.ts";
import { storesOnly } from "../../../../src/faults/oracle/stores-only.ts";

const facts = {
  systems: {
    db: { kind: "rows", tables: [], counters: { orders: 2 } },
    jobs: { kind: "value", value: { charges: [] } },
  },
  context: { order: 1 },
  clients: {},
} as const;

describe("the part of a state by which a fault is judged", () => {
  it("is its stores, without counters, and without those that the action itself changes", () => {
    const db = { kind: "rows", tables: [], counters: {} };
    expect(storesOnly(facts, [])).toEqual({ systems: { db, jobs: facts.systems.jobs }, context: {}, clients: {} });
    expect(storesOnly(facts, [], ["jobs"])).toEqual({ systems: { db }, context: {}, clients: {} });
  });

  it("leaves out what workers do to a queue, and webhooks to a stub", () => {
    const workers = queueActions("jobs", { queue: "q", run: () => Promise.reject(new Error("not called")) });
    expect(workers.map(({ changesStores }) => changesStores)).toEqual([["jobs"], ["jobs"], ["jobs"]]);
    const changed = Object.fromEntries(webhookActions("payments").map(({ name, changesStores }) => [name, changesStores]));
    expect(changed).toEqual({ payments_webhook: ["payments"], payments_webhook_again: [], payments_webhook_overtakes: ["payments"] });
  });

  it("counts only calls that had an effect at a third party, in any order, and leaves out the stores that best_effort names", () => {
    const charge = { method: "POST", path: "/charges", done: true };
    const calls = [
      { method: "GET", path: "/rates", done: true },
      { method: "POST", path: "/oauth/introspect?a=1", done: true },
      { method: "POST", path: "/charges", done: false },
      { method: "POST", path: "/charges", done: true, fault: "no_answer" },
      { ...charge, key: "k" },
      charge,
      { ...charge, key: "k" },
    ];
    const given = {
      systems: { payments: { kind: "value", value: { calls, data: {} }, received: "calls" } },
      context: {},
      clients: {},
    } as const;
    expect(storesOnly(given, []).systems).toMatchObject({ payments: { value: { calls: new Set([{ ...charge, key: "k" }, charge]) } } });
    expect(storesOnly(given, ["payments"]).systems).toEqual({});
  });
});
