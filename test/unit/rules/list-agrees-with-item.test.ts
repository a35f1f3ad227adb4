import { describe, expect, it } from "vitest";
import { contradictions } from "../../../src/rules/answers/agreement.ts";
import { listAgreesWithItem } from "../../../src/rules/index.ts";
import { judged, RESOURCES, type Answer, type Script } from "../../support/scripted-step.ts";

const [PAY, LIST, ITEM] = ["POST /customers/1/orders/5/pay", "GET /customers/1/orders", "GET /customers/1/orders/5"];
const list = (...data: readonly object[]): Answer => [200, { data }];

describe("listAgreesWithItem", () => {
  const rule = listAgreesWithItem({ resources: RESOURCES }) as never;
  const said = async (after: Script["after"], sends: Script["sends"] = [PAY], during: Script["during"] = {}): Promise<unknown> =>
    (await judged(rule, { sends, during, after: after! })).said;

  it("is broken by a field that differs, and by an item that is not there", async () => {
    const one = list({ id: 5, status: "created" });
    const kinds = "/customers/{customer_id}/orders";
    expect(await said({ [LIST]: one, [ITEM]: [200, { id: 5, status: "paid" }] })).toBe(
      `act: GET ${kinds} and GET ${kinds}/{order_id} of an item in it differ in "status"`,
    );
    expect(await said({ [LIST]: one })).toBe(`act: GET ${kinds} lists an item, but GET ${kinds}/{order_id} of this item is answered 404`);
    expect(await said({ [LIST]: one, [ITEM]: 403 })).toBe(true);
    expect(await said({ [LIST]: list({ id: 5, deleted: true }) })).toBe(true);
  });

  it("is broken by an item that the step took away and whose status in the list is older", async () => {
    const [sends, cancelled] = [["DELETE /customers/1/orders/5"], list({ id: 5, status: "cancelled" })];
    const says = async (more: Partial<Script>): Promise<unknown> =>
      (await judged(rule, { sends, after: { [LIST]: cancelled }, ...more })).said;
    const before = { [LIST]: cancelled, [ITEM]: [200, { id: 5, status: "cancelled" }] as Answer };
    expect(await says({ before })).toBe(
      "act: GET /customers/{customer_id}/orders lists an item, but GET /customers/{customer_id}/orders/{order_id} of this item is answered 404",
    );
    const fine: readonly Partial<Script>[] = [
      { before, canGoBack: false },
      { before: { [LIST]: cancelled } },
      { before: { ...before, [LIST]: list({ id: 5, status: "paid" }) } },
      { before: { ...before, [LIST]: list() } },
      { before, after: { [LIST]: list({ id: 5, status: "deleted" }) } },
    ];
    for (const script of fine) expect(await says(script)).toBe(true);
  });

  it("leaves out what differs by itself", async () => {
    let now = 0;
    expect(await said({ [LIST]: () => list({ id: 5, left: now++ }), [ITEM]: () => [200, { id: 5, left: now++ }] })).toBe(true);
    expect(await said({ [LIST]: list({ id: 5, left: 1 }), [ITEM]: () => [200, { id: 5, left: now++ }] })).toBe(true);
  });

  it("is broken by a list without what was created", async () => {
    const created = (after: Script["after"]): Promise<unknown> =>
      said(after, ["POST /customers/1/orders"], { "POST /customers/1/orders": [201, { id: 5 }] });
    expect(await created({ [LIST]: list(), [ITEM]: 200 })).toBe(
      "act: GET /customers/{customer_id}/orders/{order_id} returns the created item, but GET /customers/{customer_id}/orders does not list it",
    );
    expect(await created({ [LIST]: list(), [ITEM]: 404 })).toBe(true);
    expect(await created({ [LIST]: [206, { data: [] }], [ITEM]: 200 })).toBe(true);
  });

  it.each<[string, Answer]>([
    ["has_more", [200, { data: [{ id: 1 }], has_more: true }]],
    ["a cursor", [200, { data: [{ id: 1 }], meta: { next_cursor: "abc" } }]],
    ["a link", [200, { data: [{ id: 1 }], links: { next: { href: "/customers/1/orders?page=2" } } }]],
    ["a total", [200, { data: [{ id: 1 }], pagination: { total: 2 } }]],
    ["several pages", [200, { data: [{ id: 1 }], meta: { totalPages: 2 } }]],
    ["a full page", [200, { data: [{ id: 1 }], limit: 1 }]],
    ["a total in a header", [200, { data: [{ id: 1 }] }, { "x-total-count": "2" }]],
  ])("is not broken by a page without what was created: %s", async (_how, page) => {
    const sends = ["POST /customers/1/orders"];
    const during = { "POST /customers/1/orders": [201, { id: 5 }] as const };
    const item = { "GET /customers/1/orders/1": 200 };
    expect(await said({ [LIST]: page, [ITEM]: 200, ...item }, sends, during)).toBe(true);
    const whole: Answer = [
      200,
      { data: [{ id: 1 }], has_more: false, next: null, total: 1, limit: 20, pages: 1 },
      { "x-total-count": "1" },
    ];
    expect(await said({ [LIST]: whole, [ITEM]: 200, ...item }, sends, during)).toContain("does not list it");
    // The items of a page are still compared.
    expect(await said({ [LIST]: page, [ITEM]: 200 }, sends, during)).toContain("lists an item, but GET");
  });

  it("looks at twenty items, and at nothing after a step that wrote nothing", async () => {
    const many = Array.from({ length: 30 }, (_, i) => ({ id: i + 1 }));
    const { asked } = await judged(rule, { sends: [PAY], after: { [LIST]: list(...many), [ITEM]: 200, ...reads(30) } });
    expect(asked).toHaveLength(1 + 1 + 20);
    for (const script of [{ sends: [PAY], changed: false }, { sends: ["GET /customers"] }, { sends: [PAY], during: { [PAY]: 409 } }])
      expect(await judged(rule, script)).toEqual({ said: true, asked: [] });
  });
});

function reads(count: number): Record<string, Answer> {
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [`GET /customers/1/orders/${i + 1}`, [200, { id: i + 1 }]] as const));
}

describe("two views of one thing", () => {
  it.each([
    [null, "a"],
    ["", "a"],
    ["5", 5],
    [5, { id: 5 }],
    [["a"], ["a", "b"]],
    [
      ["b", "a"],
      ["a", "b"],
    ],
    ["a long text that was cut", "a long text that was cut in the list"],
    ["cut...", "cut short"],
    ["2026-01-02", "2026-01-02T03:04:05Z"],
    ["2026-01-02T03:04:05Z", "2026-01-02T03:04:05.123Z"],
    [0.1 + 0.2, 0.3],
    [{ a: 1 }, { a: 1, b: 2 }],
    [[{ id: 1, a: 1 }], [{ id: 1, a: 1, b: 2 }]],
  ])("%j and %j do not contradict each other", (a, b) => {
    expect([contradictions({ x: a }, { x: b }), contradictions({ x: b }, { x: a })]).toEqual([[], []]);
  });

  it.each([
    [1, 2],
    ["a", "b"],
    [true, false],
    [["a"], ["b"]],
    ["2026-01-02T03:04:05Z", "2026-01-02T03:04:06Z"],
    [{ a: { b: 1 } }, { a: { b: 2 } }],
    [[{ id: 1, a: 1 }], [{ id: 1, a: 2 }]],
  ])("%j and %j do", (a, b) => {
    expect([contradictions({ x: a }, { x: b }), contradictions({ x: b }, { x: a })]).toEqual([["x"], ["x"]]);
  });

  it("leaves links out", () => {
    expect(contradictions({ href: "/a", _links: "b", url: 1 }, { href: "/c", _links: "d", url: 2 })).toEqual([]);
  });
});
