import { expect, it } from "vitest";
import { ShownUrls } from "../../../../src/run/prepare/shown-urls.ts";

it("shows the configured URL in requests, and in the headers and bodies of answers", () => {
  const urls = new ShownUrls("http://localhost:3000/", ["http://127.0.0.1:41873"]);
  const exchange = {
    request: { method: "POST", url: "http://127.0.0.1:41873/orders", headers: {}, body: '{"callback":"http://127.0.0.1:41873/done"}' },
    response: {
      status: 201,
      headers: { location: "http://127.0.0.1:41873/orders/1", "x-port": "http://127.0.0.1:418730" },
      body: '{"self":"http://127.0.0.1:41873/orders/1","php":"http:\\/\\/127.0.0.1:41873\\/orders"}',
    },
    durationMs: 1,
  };
  expect(urls.exchange(exchange)).toEqual({
    request: { method: "POST", url: "http://localhost:3000/orders", headers: {}, body: '{"callback":"http://localhost:3000/done"}' },
    response: {
      status: 201,
      headers: { location: "http://localhost:3000/orders/1", "x-port": "http://127.0.0.1:418730" },
      body: '{"self":"http://localhost:3000/orders/1","php":"http:\\/\\/localhost:3000\\/orders"}',
    },
    durationMs: 1,
  });
  expect(new ShownUrls(undefined, ["http://127.0.0.1:41873"]).exchange(exchange)).toEqual(exchange);
});
