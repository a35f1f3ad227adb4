import { createHmac } from "node:crypto";
import { beforeAll, expect, it } from "vitest";
import { issuesToken, Reissues } from "../../../../src/lane/step/repeats.ts";
import type { Exchange } from "../../../../src/model/http/client.ts";
import { ApiResponse } from "../../../../src/model/http/response.ts";
import { loadHasher, NO_ORIGINS, timeKeyIn } from "../../../../src/state/index.ts";

beforeAll(loadHasher);

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

type Before = Parameters<Reissues["among"]>[2];

/** A checkpoint of a state whose client has a token, and whose context has values. */
function holding(text: string, values: readonly unknown[] = [], origins = NO_ORIGINS): Before {
  const entries = new Map(values.map((value, at) => [`key${at}`, value]));
  return { setBy: [{ text, action: undefined }], context: { entries, objects: 0, node: undefined }, origins };
}

/** The origins of a state with a time that an action wrote into a token. `token`: the token, if the time has an origin of its own there. */
function issuedBy(action: string, seconds: number, token?: string): Before["origins"] {
  const origin = { name: "step0", step: 1, domain: "token", isFuture: false, source: `${action}@` };
  const ms = seconds * 1_000;
  return { ...NO_ORIGINS, times: new Map([[token === undefined ? ms : timeKeyIn(ms, token), origin]]) };
}

it("finds tokens that a step returned again within the second in which they were issued", () => {
  const token = jwt({ sub: "ann", iat: SECOND, exp: SECOND + 3_600 });
  const login = [answer("POST", { token })];
  const found = (exchanges: readonly Exchange[], before: Before, startMs: number): readonly string[] =>
    new Reissues().among("login", exchanges, before, startMs).map((one) => one.token);
  expect(found(login, holding(JSON.stringify({ token })), NOW)).toEqual([token]);
  expect(found(login, holding("null", [7n, { user: { token } }]), NOW)).toEqual([token]);
  expect(found([answer("POST", {}, { "set-cookie": `id=${token}; Path=/` })], holding(JSON.stringify({ token })), NOW)).toEqual([token]);
  // Another user's token, a token that is only shown, a token of a past minute.
  expect(found(login, holding(jwt({ sub: "bob", iat: SECOND })), NOW)).toEqual([]);
  expect(found([answer("GET", { token })], holding(token), NOW)).toEqual([]);
  expect(found(login, holding(token), NOW + 60_000)).toEqual([]);
});

it("finds tokens that only stores hold, and tokens that a step which writes read from its mailbox", () => {
  const token = jwt({ sub: "ann", iat: SECOND, exp: SECOND + 600 });
  const inStores = holding("null", [], issuedBy("login", SECOND, token));
  const mailed = [answer("POST", { sent: true }), answer("GET", [{ token }])];
  const found = (exchanges: readonly Exchange[], before: Before, startMs = NOW): readonly string[] =>
    new Reissues().among("login", exchanges, before, startMs).map((one) => one.token);
  expect(found([answer("POST", { token })], inStores)).toEqual([token]);
  expect(found(mailed, inStores)).toEqual([token]);
  expect(found(mailed, holding("", [token]))).toEqual([token]);
  // The token of another action, a token of an earlier second, a token without a time, a step that only reads.
  expect(found(mailed, holding("", [token], issuedBy("forgot", SECOND)))).toEqual([]);
  expect(found(mailed, inStores, NOW + 1_000)).toEqual([]);
  const timeless = jwt({ sub: "ann" });
  expect(found([answer("POST", {}), answer("GET", { timeless })], holding("", [timeless]))).toEqual([]);
  expect(found(mailed.slice(1), inStores)).toEqual([]);
});

it("does not find a token again that was the same in the next second", () => {
  const token = jwt({ sub: "ann" });
  const reissues = new Reissues();
  const found = reissues.among("login", [answer("POST", { token })], holding(token), NOW);
  expect(found).toHaveLength(1);
  reissues.note(found, found, holding(token), true);
  expect(reissues.among("login", [answer("POST", { token })], holding(token), NOW)).toEqual([]);
});

it("finds no token of a kind of step whose result did not depend on the second, twice", () => {
  const reissues = new Reissues();
  const among = (second: number, before: (token: string) => Before, action = "login"): ReturnType<Reissues["among"]> => {
    const token = jwt({ sub: "ann", iat: second });
    return reissues.among(action, [answer("POST", { token })], before(token), second * 1_000 + 400);
  };
  const inContext = (token: string): Before => holding("", [token]);
  const replaced = holding("", ["another token"]);
  for (let times = 0; times < 2; times++) {
    const found = among(SECOND + times, inContext);
    expect(found).toHaveLength(1);
    reissues.note(found, [], replaced, true);
  }
  expect(among(SECOND + 2, inContext)).toEqual([]);
  // Another action, other holders, and a token that another action issued are other kinds.
  expect(among(SECOND + 2, inContext, "forgot")).toHaveLength(1);
  expect(among(SECOND + 2, (token) => holding("", [token, token]))).toHaveLength(1);
  expect(among(SECOND + 2, (token) => holding("", [token], issuedBy("register", SECOND + 2)))).toHaveLength(1);
});

it.each([
  { why: "the states differ", after: holding("", ["another token"]), isAlike: false },
  { why: "the old token is still held", after: undefined, isAlike: true },
])("finds a token each time if $why", ({ after, isAlike }) => {
  const reissues = new Reissues();
  const token = jwt({ sub: "ann", iat: SECOND });
  const among = (): ReturnType<Reissues["among"]> => reissues.among("login", [answer("POST", { token })], holding("", [token]), NOW);
  for (let times = 0; times < 3; times++) reissues.note(among(), [], after ?? holding("", [token]), isAlike);
  expect(among()).toHaveLength(1);
});

it("knows the actions that issue tokens", () => {
  expect(issuesToken([answer("POST", { token: jwt({ iat: SECOND }) })])).toBe(true);
  expect(issuesToken([answer("POST", {}), answer("GET", { token: jwt({ iat: SECOND }) })])).toBe(true);
  expect(issuesToken([answer("GET", { token: jwt({ iat: SECOND }) })])).toBe(false);
  expect(issuesToken([answer("POST", { id: 17, name: "a text without any token in it" })])).toBe(false);
});
