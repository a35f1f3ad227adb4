import { expect, it } from "vitest";
import { harText } from "../../../src/reports/index.ts";
import { harErrors } from "../../support/json-schemas.ts";
import { exchange } from "./hostile-report.ts";

const request = {
  method: "POST",
  url: "http://127.0.0.1:3000/orders?b=2&a=%20",
  headers: { "Content-Type": "application/json" },
  body: '{"ä":1}',
};
const response = { status: 302, headers: { "content-type": "text/html", location: "/orders/1" }, body: "ok" };

it("HAR holds requests and answers in their order, valid by its schema", () => {
  const text = harText(
    [
      { step: "create", request, response, durationMs: 3.5 },
      { step: "upload", request: { ...request, body: "PNG\ufffd" }, response, durationMs: 0 },
      { step: "read", request: { ...request, method: "GET", body: undefined }, error: "ECONNRESET", durationMs: 10 },
    ],
    "2026-11-21T08:30:20.123Z",
  );
  const har = JSON.parse(text) as { readonly log: { readonly entries: readonly unknown[] } };
  expect(harErrors(har)).toEqual([]);
  expect(har.log).toMatchObject({ comment: expect.stringContaining("does not record the times of requests") as string });
  expect(har.log.entries).toMatchObject([
    {
      comment: "create",
      time: 3.5,
      request: {
        queryString: [
          { name: "b", value: "2" },
          { name: "a", value: " " },
        ],
        postData: { mimeType: "application/json", text: '{"ä":1}' },
        bodySize: 8,
      },
      response: { status: 302, redirectURL: "/orders/1", content: { text: "ok", mimeType: "text/html" } },
    },
    { request: { postData: { comment: "The request had a body of bytes, which this text only describes." } } },
    { startedDateTime: "2026-11-21T08:30:20.126Z", request: { bodySize: 0 }, response: { status: 0, comment: "ECONNRESET" } },
  ]);
});

it("and whatever the target answers", () => {
  const text = harText([{ ...exchange, step: "x", request: { ...exchange.request, url: "http://x/?q=%zz" } }], "2026-11-21T08:30:20.123Z");
  expect(harErrors(JSON.parse(text))).toEqual([]);
  expect(text).not.toMatch(/[\x7f-\x9f\u202e\u2028]/); // oxlint-disable-line no-control-regex
  expect(harErrors({ log: { version: "1.2" } })).not.toEqual([]);
});
