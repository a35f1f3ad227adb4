import { describe, expect, it } from "vitest";
import { Action } from "../../../src/model/declare/action.ts";
import type { StoresView } from "../../../src/model/declare/rule.ts";
import { Agent } from "../../../src/run/agent.ts";
import { idempotent, retrySafe } from "../../../src/rules/index.ts";
import { judged, orders, rowsView, type Answer, type Script } from "../../support/scripted-step.ts";

const SAME = [orders(1)];
const MORE = [orders(1), orders(2)];

describe("idempotent", () => {
  const sent = async (method: string, again: Answer, stores = SAME, rule = idempotent()): Promise<unknown> => {
    const request = `${method} /orders/1`;
    return (await judged(rule as never, { sends: [request], after: { [request]: again }, stores })).said;
  };

  it.each([200, 204, 302, 400, 401, 403, 404, 409, 410, 412, 422, 429, 501, 503] as Answer[])(
    "holds where PUT or DELETE is answered %j again",
    async (answer) => {
      expect([await sent("PUT", answer), await sent("DELETE", answer)]).toEqual([true, true]);
    },
  );

  it("says which server error", async () => {
    expect(await sent("DELETE", 500)).toBe(
      "act: DELETE /orders/{id} was sent again and answered 500, but the first request was answered 200",
    );
  });

  it("says what changed in the stores", async () => {
    expect(await sent("DELETE", 204, MORE)).toBe(
      "act: DELETE /orders/{id} was sent again and answered 204, and the second request changed the stores: db.orders: 1 row added",
    );
  });

  it("judges the methods that it is given, of steps with one write, done", async () => {
    expect(await sent("POST", 500, MORE)).toBe(true);
    expect(await sent("POST", 500, SAME, idempotent({ methods: ["post"] }))).not.toBe(true);
    const quiet: readonly Script[] = [
      { sends: ["PUT /a", "POST /b"], stores: MORE },
      { sends: ["PUT /a"], during: { "PUT /a": 202 }, stores: MORE },
      { sends: ["PUT /a"], during: { "PUT /a": 409 }, stores: MORE },
      { sends: ["PUT /a"] },
    ];
    for (const script of quiet) expect(await judged(idempotent() as never, script)).toEqual({ said: true, asked: [] });
    expect(() => idempotent({ methods: "PUT" as never })).toThrow("idempotent: `methods` is not a list of HTTP methods.");
  });
});

describe("idempotent with exceptions", () => {
  /** The second request counts up the version of an order. `pays`: it also pays again. */
  const said = async (rule: unknown, pays = false): Promise<unknown> => {
    let reads = 0;
    const stores = (without: readonly string[]): StoresView => {
      const isSecond = ++reads > 1;
      return rowsView({ orders: [[1, without.includes("orders.version") ? null : isSecond ? 2 : 1, isSecond && pays ? 200 : 100]] });
    };
    return (await judged(rule as never, { sends: ["PUT /orders/1"], after: { "PUT /orders/1": 200 }, stores })).said;
  };

  it("allows changes of the columns in `except`, and no others", async () => {
    expect(await said(idempotent())).toContain("the second request changed the stores");
    const rule = idempotent({ except: ["orders.version"] });
    expect(await said(rule)).toBe(true);
    expect(await said(rule, true)).toContain("the second request changed the stores");
    expect(await said(idempotent({ except: ["orders.updated_count"] }))).toContain("the second request changed the stores");
  });

  it("does not judge the actions in `except`", async () => {
    expect(await said(idempotent({ except: ["act"] }), true)).toBe(true);
    expect(await said(idempotent({ except: ["other"] }), true)).not.toBe(true);
  });

  it("refuses exceptions that name nothing", () => {
    const touch = new Action({ name: "touch", run: (api) => api.put("/orders/1") });
    const agent = (...except: readonly string[]): Agent => new Agent({ actions: [touch], invariants: [idempotent({ except })] });
    expect(() => agent("touch", "orders.version", "audit_log.*")).not.toThrow();
    expect(() => agent("version")).toThrow('idempotent: the Agent has no action "version".');
    expect(() => idempotent({ except: "orders.version" as never })).toThrow("idempotent: `except` has the type string.");
    expect(() => idempotent({ except: [7] as never })).toThrow("idempotent: `except` has the type number.");
  });
});

describe.each([idempotent({ methods: ["POST"] }), retrySafe()])("a change of the stores by the second request", (rule) => {
  it(`names its fields for ${rule.name}, because a timer of the target may have written them`, async () => {
    const sends = [["POST /payments", {}, { "Idempotency-Key": "k" }]] as const;
    expect((await judged(rule as never, { sends, stores: MORE })).fields).toEqual(["orders.id"]);
  });
});

describe.each([idempotent({ methods: ["POST"] }), retrySafe()])("a request that cannot be sent again", (rule) => {
  it(`makes ${rule.name} inconclusive`, async () => {
    const sends = [["POST /avatars", {}, { "Idempotency-Key": "k" }]] as const;
    expect((await judged(rule as never, { sends, stores: SAME, isLost: true })).said).toBe(
      "? seqqa cannot send the request of the step again",
    );
    expect((await judged(rule as never, { sends, isLost: true })).said).toBe(true);
  });
});

describe("retrySafe", () => {
  const PAY = "POST /payments";
  const sent = async (first: Answer, again: Answer, stores = SAME): Promise<unknown> => {
    const sends = [[PAY, { amount: 1 }, { "Idempotency-Key": "k" }]] as const;
    return (await judged(retrySafe() as never, { sends, during: { [PAY]: first }, after: { [PAY]: again }, stores })).said;
  };

  it.each([[200, { id: 1 }], [201, { id: 1, at: "later" }], 204, 409, 422, 401, 503] as Answer[])(
    "holds where it is answered %j again",
    async (answer) => {
      expect(await sent([201, { id: 1, at: "now", request: { id: "x" } }], answer)).toBe(true);
    },
  );

  it("is broken by another thing, a refusal, and a change", async () => {
    const what = "act: POST /payments with the same Idempotency-Key was answered 201 the first time and";
    expect(await sent([201, { id: 1 }], [201, { id: 2 }])).toBe(`${what} 201 the second time, and the second answer has a different id`);
    expect(await sent([201, { data: { uuid: "a" } }], [201, { data: { uuid: "b" } }])).toBe(
      `${what} 201 the second time, and the second answer has a different uuid`,
    );
    expect(await sent([201, {}, { location: "/1" }], [201, {}, { location: "/2" }])).toBe(
      `${what} 201 the second time, and the second answer has a different Location`,
    );
    expect(await sent(201, 400)).toBe(`${what} 400 the second time`);
    expect(await sent(201, 201, MORE)).toBe(
      `${what} 201 the second time, and the second request changed the stores: db.orders: 1 row added`,
    );
  });

  it.each<readonly [changed: readonly string[], named: readonly string[] | undefined]>([
    [["keys.replays", "keys.last_seen_at"], undefined],
    [["keys.retry_count", "keys.lastSeenAt", "keys.replayCount", "keys.replayed_at", "keys.num_retries"], undefined],
    [['hash.value where {"key":"idem:*","field":"replays"}'], undefined],
    [
      ['hash.value where {"key":"retry:*","field":"amount"}', 'string.value where {"key":"last_seen"}'],
      ['hash.value where {"key":"retry:*","field":"amount"}', 'string.value where {"key":"last_seen"}'],
    ],
    ...["coupons.use_count", "pages.hits", "stock.warehouse_count", "parcels.retrieved_at", "mails.seen_at", "tasks.repeat"].map(
      (field) => [[field], [field]] as const,
    ),
    [["keys.replays", "payments.amount"], ["payments.amount"]],
    [[], []],
  ])("takes %j changed by the second request for a violation that changes %j", async (changed, named) => {
    const sends = [[PAY, { amount: 1 }, { "Idempotency-Key": "k" }]] as const;
    const stores = MORE.map((view) => ({ ...view, changedFields: () => changed }));
    const { said, fields } = await judged(retrySafe() as never, { sends, after: { [PAY]: 200 }, stores });
    expect([said === true, fields]).toEqual([named === undefined, named]);
  });

  it("takes ids of requests for none of things", async () => {
    expect(await sent([201, { trace: { id: 1 }, meta: { id: 1 } }], [201, { trace: { id: 2 }, meta: { id: 2 } }])).toBe(true);
  });

  it("says nothing without the header, and takes another one", async () => {
    expect(await judged(retrySafe() as never, { sends: [PAY], stores: MORE })).toEqual({ said: true, asked: [] });
    const sends = [[PAY, {}, { "x-key": "k" }]] as const;
    expect((await judged(retrySafe({ header: "X-Key" }) as never, { sends, stores: MORE, after: { [PAY]: 200 } })).said).not.toBe(true);
    expect(() => retrySafe({ header: "a b" })).toThrow("retrySafe: `header` is not the name of a header.");
  });
});
