import { describe as suite, expect, it } from "vitest";
import { DescribedReplies } from "../../../../src/adapters/stub/described-replies.ts";
import { describe } from "../../../../src/openapi/index.ts";

const json = (schema: unknown, more: object = {}) => ({ description: "", content: { "application/json": { schema, ...more } } });

/** The replies of a description with one operation, `POST /a`. */
function repliesTo(responses: Readonly<Record<string, unknown>>, components: object = {}): DescribedReplies {
  const info = { title: "t", version: "1" };
  return new DescribedReplies(describe({ openapi: "3.1.0", info, paths: { "/a": { post: { responses } } }, components }));
}

const node = { type: "object", required: ["next"], properties: { next: { $ref: "#/components/schemas/Node" } } };
const wide = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`f${at}`, { $ref: "#/components/schemas/Wide" }]));

suite("the replies that an OpenAPI description gives", () => {
  it.each([
    ["the first 2xx", { 500: json({}), 202: json({ const: 2 }), 201: json({ const: 1 }) }, 201, "application/json", "1"],
    ["its range", { "2XX": json({ const: 1 }) }, 200, "application/json", "1"],
    ["default, if there is no 2xx", { 404: json({ const: 0 }), default: json({ const: 1 }) }, 200, "application/json", "1"],
    ["no body, if none is described", { 302: { description: "" } }, 200, undefined, ""],
    ["no body with 204", { 204: json({ const: 1 }) }, 204, undefined, ""],
    ["the example", { 200: json({ type: "integer" }, { example: { any: "thing" } }) }, 200, "application/json", '{"any":"thing"}'],
    ["text", { 200: { description: "", content: { "text/csv": { example: "a,b" } } } }, 200, "text/csv", "a,b"],
    [
      "a type that no header can have",
      { 200: { description: "", content: { "a\r\nx: 1": { example: 1 } } } },
      200,
      "application/json",
      "1",
    ],
    [
      "fields of answers, not of requests",
      { 200: json({ type: "object", properties: { id: { const: 7, readOnly: true }, pin: { const: 8, writeOnly: true } } }) },
      200,
      "application/json",
      '{"id":7}',
    ],
  ])("%s", (_what, responses, status, type, text) => {
    expect(repliesTo(responses).replyTo("POST", "/a?b=1")).toEqual({
      status,
      headers: type === undefined ? {} : { "content-type": type },
      cookies: [],
      text,
    });
  });

  it("is the same for equal requests, and none for a request that is not described", () => {
    const replies = repliesTo({ 200: json({ type: "object", properties: { id: { type: "string", format: "uuid" } } }) });
    expect(replies.replyTo("POST", "/a")).toEqual(
      repliesTo({ 200: json({ type: "object", properties: { id: { type: "string", format: "uuid" } } }) }).replyTo("POST", "/a"),
    );
    expect([replies.replyTo("GET", "/a"), replies.replyTo("POST", "/a/b")]).toEqual([undefined, undefined]);
  });

  it.each([
    ["endless", { Node: node }, "Node"],
    ["very wide", { Wide: { type: "object", properties: wide } }, "Wide"],
  ])("is bounded: %s schema", (_what, schemas, name) => {
    const reply = repliesTo({ 200: json({ $ref: `#/components/schemas/${name}` }) }, { schemas }).replyTo("POST", "/a");
    expect(reply!.status).toBe(200);
    expect(reply!.text.length).toBeLessThan(1_000_000);
  });
});
