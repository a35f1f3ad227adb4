import { expect, it } from "vitest";
import type { WireRequest } from "../../../../src/model/http/wire.ts";
import type { RecordedExchange } from "../../../../src/model/results/result.ts";
import { refusing } from "../../../../src/races/lane/refusing.ts";

const exchange = (method: string, path: string, status: number): RecordedExchange =>
  ({
    request: { method, url: `http://api${path}`, headers: {}, body: undefined },
    response: { status, headers: {}, body: "" },
  }) as unknown as RecordedExchange;

/** Sends requests of a call without its refused `exchanges`. Requests that are sent are answered with 200. */
function answering(exchanges: readonly RecordedExchange[]): (method: string, path: string) => Promise<number> {
  const deliver = refusing(new Map([[0, { exchanges }]]) as never, (_side, request, _route, send) => send(request));
  return async (method, path) => {
    const request = { method, url: `http://api${path}`, headers: {}, body: undefined } as unknown as WireRequest;
    const sent = () => Promise.resolve({ status: 200, headers: {}, cookies: [], text: "" });
    return (await deliver(0, request, undefined as never, sent as never)).status;
  };
}

it("of two requests that were sent at once, the refused one is refused, in whichever order they were answered", async () => {
  const answer = answering([exchange("PUT", "/orders/kQzWvBnM/ship", 200), exchange("PUT", "/orders/kQzWvBnM/pay", 409)]);
  expect(await answer("PUT", "/orders/hTrLpXcA/pay")).toBe(409);
  expect(await answer("PUT", "/orders/hTrLpXcA/ship")).toBe(200);
});

it("a refused request is answered with its refusal, also if its URL contains another id of letters, and the others are sent", async () => {
  const answer = answering([exchange("POST", "/orders", 201), exchange("PUT", "/orders/kQzWvBnM/pay", 409)]);
  expect(await answer("POST", "/orders")).toBe(200);
  expect(await answer("PUT", "/orders/hTrLpXcA/pay")).toBe(409);
  expect(await answer("PUT", "/orders/hTrLpXcA/pay")).toBe(200);
});
