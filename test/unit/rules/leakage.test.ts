import { describe, expect, it } from "vitest";
import { leakage } from "../../../src/rules/index.ts";
import { judged, orders, RESOURCES, type Answer, type Script } from "../../support/scripted-step.ts";

const [POST, LIST, ITEM] = ["POST /customers/1/orders", "GET /customers/1/orders", "GET /customers/1/orders/9"];
const list = (...ids: readonly number[]): Answer => [200, { data: ids.map((id) => ({ id })) }];
const refused = (script: Partial<Script>, status = 422): Script => ({ sends: [POST], during: { [POST]: status }, ...script });

describe("leakage", () => {
  const rule = leakage({ resources: RESOURCES }) as never;
  const said = async (script: Script): Promise<unknown> => (await judged(rule, script)).said;
  const WHAT = "act: POST /customers/{customer_id}/orders was refused with 422, and";

  it("is broken by a list that has more", async () => {
    expect(await said(refused({ after: { [LIST]: list(1, 2) }, before: { [LIST]: list(1) } }))).toBe(`${WHAT} the list has 1 more item`);
    expect(await said(refused({ after: { [LIST]: list(1) }, before: { [LIST]: list(1, 2) } }))).toBe(true);
  });

  it("is broken by the item that was sent", async () => {
    const sends = [[POST, { id: 9 }]] as const;
    const there = { [ITEM]: [200, { id: 9 }] as Answer };
    expect(await said(refused({ sends, after: there }))).toBe(`${WHAT} the item exists now`);
    expect(await said(refused({ sends, after: there, before: there }))).toBe(true);
    const put = { sends: ["PUT /customers/1/orders/9"], during: { "PUT /customers/1/orders/9": 400 }, after: there };
    expect(await said(put)).toBe("act: PUT /customers/{customer_id}/orders/{order_id} was refused with 400, and the item exists now");
  });

  it.each([200, [200, null], [200, { data: null }], [200, { success: false }]] as Answer[])(
    "knows that an item is missing that is answered %j",
    async (missing) => {
      const sends = [[POST, { id: 9 }]] as const;
      const there = { [ITEM]: [200, { id: 9 }] as Answer };
      expect(await said(refused({ sends, after: there, before: { [ITEM]: missing } }))).toBe(`${WHAT} the item exists now`);
      expect(await said(refused({ sends, after: { [ITEM]: missing } }))).toBe(true);
    },
  );

  it("is broken by rows that nothing shows", async () => {
    expect(await said(refused({ stores: [orders(2), orders(1)] }))).toBe(`${WHAT} the stores have more rows: db.orders: 1 row added`);
    expect(await said(refused({ stores: [orders(1), orders(2)] }))).toBe(true);
  });

  it("names the fields of such rows, because a timer of the target may have written them", async () => {
    expect((await judged(rule, refused({ stores: [orders(2), orders(1)] }))).fields).toEqual(["orders.id"]);
    expect((await judged(rule, refused({ after: { [LIST]: list(1, 2) }, before: { [LIST]: list(1) } }))).fields).toBeUndefined();
  });

  it("asks nothing where nothing changed, was created, or more was written", async () => {
    const quiet: readonly Script[] = [
      refused({ changed: false }),
      refused({}, 201),
      refused({}, 408),
      refused({}, 500),
      refused({ sends: ["POST /customers", POST] }),
      { sends: ["POST /customers/1/orders/5/pay"], during: { "POST /customers/1/orders/5/pay": 409 } },
    ];
    for (const script of quiet) expect(await judged(rule, script)).toEqual({ said: true, asked: [] });
  });
});
