import { createHmac } from "node:crypto";
import { expect, it } from "vitest";
import { issuesToken, Reissues } from "../../../../src/lane/step/repeats.ts";
import type { Exchange } from "../../../../src/model/http/client.ts";
import { ApiResponse } from "../../../../src/model/http/response.ts";

const NOW = 1_800_000_000_400;
const SECOND = Math.floor(NOW / 1_000);

function jwt(claims: object): string {
  const payload = [{ alg: "HS256", typ: "JWT" }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");
  return `${payload}.${createHmac("sha256", "secret").update(payload).digest("base64url")}`;
}

function answer(method: string, body: object, headers: Readonly<Record<string, string>> = {}): Exchange {
  const request = { method, url: "http://127.0.0.1/login", headers: {} };
  return { kind: "answer", response: new ApiResponse(200, JSON.stringify(body), headers, request) };
}

/** A checkpoint of a state whose client has a token, and whose context has values. */
function holding(text: string, values: readonly unknown[] = []): Parameters<Reissues["among"]>[1] {
  const entries = new Map(values.map((value, at) => [`key${at}`, value]));
  return { setBy: [{ text, action: undefined }], context: { entries, objects: 0, node: undefined } };
}

it("finds tokens that a step returned again within the second in which they were issued", () => {
  const token = jwt({ sub: "ann", iat: SECOND, exp: SECOND + 3_600 });
  const login = [answer("POST", { token })];
  const found = (...args: Parameters<Reissues["among"]>): readonly string[] => new Reissues().among(...args);
  expect(found(login, holding(JSON.stringify({ token })), NOW)).toEqual([token]);
  expect(found(login, holding("null", [7n, { user: { token } }]), NOW)).toEqual([token]);
  expect(found([answer("POST", {}, { "set-cookie": `id=${token}; Path=/` })], holding(JSON.stringify({ token })), NOW)).toEqual([token]);
  // Another user's token, a token that is only shown, a token of a past minute.
  expect(found(login, holding(jwt({ sub: "bob", iat: SECOND })), NOW)).toEqual([]);
  expect(found([answer("GET", { token })], holding(token), NOW)).toEqual([]);
  expect(found(login, holding(token), NOW + 60_000)).toEqual([]);
});

it("does not find a token again that was the same in the next second", () => {
  const token = jwt({ sub: "ann" });
  const reissues = new Reissues();
  expect(reissues.among([answer("POST", { token })], holding(token), NOW)).toEqual([token]);
  reissues.keep([token]);
  expect(reissues.among([answer("POST", { token })], holding(token), NOW)).toEqual([]);
});

it("knows the actions that issue tokens", () => {
  expect(issuesToken([answer("POST", { token: jwt({ iat: SECOND }) })])).toBe(true);
  expect(issuesToken([answer("POST", { id: 17, name: "a text without any token in it" })])).toBe(false);
});
