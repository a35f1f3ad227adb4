import { describe, expect, it } from "vitest";
import { createdMeansAvailable } from "../../../src/rules/index.ts";
import { judged, RESOURCES, type Answer } from "../../support/scripted-step.ts";

const ORDERS = "POST /customers/1/orders";
const ORDER = "GET /customers/1/orders/5";
const located = (location: string): Answer => [201, { id: 5 }, { location }];

describe("createdMeansAvailable", () => {
  const rule = createdMeansAvailable() as never;
  const informed = createdMeansAvailable({ resources: RESOURCES }) as never;

  it("follows a Location on the same origin", async () => {
    const during = { [ORDERS]: located("/customers/1/orders/5?full=1") };
    expect(await judged(rule, { sends: [ORDERS], during, after: { [`${ORDER}?full=1`]: 200 } })).toEqual({
      said: true,
      asked: [`${ORDER}?full=1`],
    });
    expect((await judged(rule, { sends: [ORDERS], during })).said).toBe(
      "act: POST /customers/{id}/orders was answered 201, but GET its Location /customers/{id}/orders/{id} was then answered 404",
    );
  });

  it.each(["http://elsewhere.example/orders/5", "//elsewhere.example/", "http://[", "ftp://localhost/a"])(
    "never asks %s",
    async (location) => {
      expect(await judged(rule, { sends: [ORDERS], during: { [ORDERS]: located(location) } })).toEqual({ said: true, asked: [] });
    },
  );

  it("looks for the item at the path of its resource if the Location has another origin", async () => {
    const during = { [ORDERS]: located("https://shop.example/customers/1/orders/5") };
    expect(await judged(informed, { sends: [ORDERS], during, after: { [ORDER]: 200 } })).toEqual({ said: true, asked: [ORDER] });
    expect((await judged(informed, { sends: [ORDERS], during })).said).toContain("/orders/{order_id} was then answered 404");
  });

  it("looks for the item where resources know it", async () => {
    for (const status of [200, 201]) {
      const during = { [ORDERS]: [status, { id: 5 }] as const };
      expect(await judged(rule, { sends: [ORDERS], during })).toEqual({ said: true, asked: [] });
      expect((await judged(informed, { sends: [ORDERS], during })).said).toBe(
        `act: POST /customers/{customer_id}/orders was answered ${status}, but GET /customers/{customer_id}/orders/{order_id} was then answered 404`,
      );
    }
  });

  it("asks for what a PUT created only where resources know it", async () => {
    const sends = ["PUT /customers/1/orders/5"];
    const during = { "PUT /customers/1/orders/5": 201 };
    expect(await judged(rule, { sends, during })).toEqual({ said: true, asked: [] });
    expect((await judged(informed, { sends, during })).said).toContain(
      "act: PUT /customers/{customer_id}/orders/{order_id} was answered 201, but GET",
    );
  });

  it.each([202, [200, { id: "" }], [200, { id: ".." }], [200, { id: 2 ** 60 }], [200, [1]], 400] as Answer[])(
    "asks nothing after %j",
    async (answer) => {
      expect(await judged(informed, { sends: [ORDERS], during: { [ORDERS]: answer } })).toEqual({ said: true, asked: [] });
    },
  );

  it.each([200, 204, 401, 403, 405, 302, 429, 501, 503] as Answer[])("holds where GET is answered %j", async (answer) => {
    expect((await judged(informed, { sends: [ORDERS], during: { [ORDERS]: [201, { id: 5 }] }, after: { [ORDER]: answer } })).said).toBe(
      true,
    );
  });

  it("asks once more as the one who created it", async () => {
    let asked = 0;
    const after = { [ORDER]: () => (asked++ === 0 ? 404 : 200) };
    expect((await judged(informed, { sends: [ORDERS], during: { [ORDERS]: [201, { id: 5 }] }, after })).said).toBe(true);
    expect(asked).toBe(2);
  });

  it("encodes ids that are no part of a path", async () => {
    const { asked } = await judged(informed, { sends: [ORDERS], during: { [ORDERS]: [201, { id: "a/../b?c" }] }, after: {} });
    expect(new Set(asked)).toEqual(new Set(["GET /customers/1/orders/a%2F..%2Fb%3Fc"]));
  });
});
