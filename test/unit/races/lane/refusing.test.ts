import { expect, it } from "vitest";
import type { WireRequest } from "../../../../src/model/http/wire.ts";
import type { RecordedExchange } from "../../../../src/model/results/result.ts";
import { refusing } from "../../../../src/races/lane/refusing.ts";

const exchange = (method: string, path: string, status: number): RecordedExchange =>
  ({
    request: { method, url: `http://api${path}`, headers: {}, body: undefined },
    response: { status, headers: {}, body: "" },
  }) as unknown as RecordedExchange;

it("a refused request is answered with its refusal, also if its URL contains another id of letters, and the others are sent", async () => {
  const exchanges = [exchange("POST", "/orders", 201), exchange("PUT", "/orders/kQzWvBnM/pay", 409)];
  const deliver = refusing(new Map([[0, { exchanges }]]) as never, (_side, request, _route, send) => send(request));
  const answer = async (method: string, path: string): Promise<number> => {
    const request = { method, url: `http://api${path}`, headers: {}, body: undefined } as unknown as WireRequest;
    const sent = () => Promise.resolve({ status: 200, headers: {}, cookies: [], text: "" });
    return (await deliver(0, request, undefined as never, sent as never)).status;
  };
  expect(await answer("POST", "/orders")).toBe(200);
  expect(await answer("PUT", "/orders/hTrLpXcA/pay")).toBe(409);
  expect(await answer("PUT", "/orders/hTrLpXcA/pay")).toBe(200);
});
