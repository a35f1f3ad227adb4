import { describe, expect, expectTypeOf, it } from "vitest";
import { Action, Agent, BFS, Context, Invariant, Journey, Severity, Step, World, type Strategy } from "seqqa";
import { ApiResponse, HttpClient } from "seqqa/adapters/http";

/*
 * The types are checked by `tsc`, which this file is part of: an @ts-expect-error without an error under it is an error.
 * Running it shows that the values are there.
 */

// The example of the public documentation, as printed there.
// prettier-ignore
interface Shop { order_id: string; refunded: number } // typed context, optional

// prettier-ignore
const createOrder = new Action<Shop>({
  name: "create_order",
  run: async (api, context) => {
    const response = await api.post("/orders", { json: { amount: 100 } });
    context.set("order_id", response.json<{ id: string }>().id);
    return response;
  },
});
// prettier-ignore
const refundOrder = new Action<Shop>({
  name: "refund_order",
  precondition: (context) => context.has("order_id"),                      // optional; false = skipped
  run: async (api, context) => api.post(`/orders/${context.getRequired("order_id")}/refund`),
});

// prettier-ignore
export const agent: Agent<Shop> = new Agent<Shop>({
  world: (lane) => new World<Shop>({
    api: new HttpClient(lane.baseUrl),
    systems: lane.systems,                      // what the config declares; or { db: new SqliteAdapter({ file: lane.dbPath }) }
    stateFromContext: ["order_id"],
  }),
  actions: [createOrder, refundOrder],
  invariants: [new Invariant<Shop>({
    name: "refund_within_amount",
    severity: Severity.CRITICAL,
    message: "refunded more than was paid",
    check: async (world) => {
      if (!world.context.has("order_id")) return true;
      const order = (await world.api.get(`/orders/${world.context.get("order_id")}`)).json<{ amount: number; refunded: number }>();
      return order.refunded <= order.amount;
    },
  })],
  strategy: new BFS(),
  maxSteps: 500,
});

it("the documented example is an agent", () => {
  expect(agent.actions.map(({ name }) => name)).toEqual(["create_order", "refund_order"]);
});

describe("run", () => {
  it("must return: forgetting it does not type-check", () => {
    // prettier-ignore
    // @ts-expect-error -- nothing is returned
    new Action({ name: "forgets", run: async (api) => { await api.post("/orders"); } });
    // prettier-ignore
    // @ts-expect-error -- one way returns nothing
    new Action({ name: "forgets_sometimes", run: async (api, context) => { if (context.has("a")) return api.get("/"); } });
    // @ts-expect-error -- undefined is not null
    new Action({ name: "undefined", run: async () => undefined });
    // @ts-expect-error -- the body is not the response
    new Action({ name: "body", run: async (api) => (await api.get("/")).json() as object });
    // @ts-expect-error -- not a promise
    new Action({ name: "sync", run: () => null });
    new Action({ name: "skips", run: async () => null });
    new Action({ name: "either", run: async (api, context) => (context.has("a") ? api.get("/") : null) });
  });

  it("takes an api of the user's own", () => {
    interface Model {
      refund(): { ok: boolean };
    }
    const refund = new Action<Shop, Model>({ name: "refund", run: async (api) => ApiResponse.of(api.refund().ok ? 200 : 409) });
    expectTypeOf(refund.run).parameter(0).toEqualTypeOf<Model>();
    // @ts-expect-error -- an action on another api
    new Agent<Shop>({ actions: [refund], invariants: [] });
    new Agent<Shop, Model>({
      actions: [refund],
      invariants: [],
      world: () => new World<Shop, Model>({ api: { refund: () => ({ ok: true }) } }),
    });
  });
});

describe("journeys and steps", () => {
  it("know the context of the journey and the args of each step", () => {
    const journey = new Journey<Shop>({
      name: "j",
      steps: [
        new Step({
          name: "s",
          args: { amount: 1 },
          action: async (api, context, args) => {
            expectTypeOf(args.amount).toEqualTypeOf<number>();
            expectTypeOf(context.get("order_id")).toEqualTypeOf<string | undefined>();
            return api.get(`/orders/${context.getRequired("order_id")}`);
          },
        }),
      ],
    });
    // @ts-expect-error -- args that the action does not take
    new Step({ name: "s", args: { amount: "1" }, action: (_api, _context, args: { amount: number }) => args });
    // @ts-expect-error -- neither a status nor a boolean
    expect(() => new Step({ name: "s", action: () => 0, expectFailure: "4xx" })).toThrow("is 4xx, which is not an HTTP status");
    new Agent<Shop>({ actions: [createOrder], invariants: [], setup: journey });
    expect(journey.steps).toHaveLength(1);
  });
});

it("the context knows its keys and their types", () => {
  const context = new Context<Shop>({ refunded: 1 });
  expectTypeOf(context.get("order_id")).toEqualTypeOf<string | undefined>();
  expectTypeOf(context.get("refunded", { default: null })).toEqualTypeOf<number | null>();
  expectTypeOf(context.getRequired("refunded")).toEqualTypeOf<number>();
  expectTypeOf(context.refunded).toEqualTypeOf<number>();
  // @ts-expect-error -- unknown key
  context.has("order");
  // @ts-expect-error -- wrong type
  context.set("order_id", 1);
  const loose = new Context();
  loose.set("anything", 1);
  expect(context.refunded).toBe(1);
});

it("statuses, severities, strategies and invariants are checked", () => {
  const run = async (): Promise<null> => null;
  new Action({ name: "a", run, expectedStatus: ["2xx", 404] });
  // @ts-expect-error -- no such class
  expect(() => new Action({ name: "a", run, expectedStatus: "6xx" })).toThrow("6xx");
  // @ts-expect-error -- no such severity; refused when it runs, too
  expect(() => new Invariant({ name: "i", check: () => true, severity: "fatal" })).toThrow();
  // @ts-expect-error -- not a boolean
  new Invariant({ name: "i", check: () => 1 });
  // @ts-expect-error -- may return nothing
  new Invariant({ name: "i", check: () => {} });
  new Invariant({ name: "i", check: async () => true });
  expectTypeOf(new BFS()).toExtend<Strategy>();
  // @ts-expect-error -- not a context key
  new World<Shop>({ stateFromContext: ["order"] });
  expectTypeOf(new World().systems["db"]).toBeNullable();
});
