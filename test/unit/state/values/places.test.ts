import { deflateSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { parsedJson, parsedJwt, parsedSigned, replaceJwts, replaceSigned } from "../../../../src/state/values/places.ts";

const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");
const jwt = (claims: unknown): string => `${part({ alg: "HS256" })}.${part(claims)}.c2ln_bmF0-dXJl`;

describe("a text with values in it", () => {
  it("is a JSON object or array, or a JWT, which counts by what it says", () => {
    expect(parsedJson('{"a":[1]}')).toEqual({ a: [1] });
    const said = { header: { alg: "HS256" }, claims: { sub: "ada", iat: 1_795_478_618 }, signed: true };
    expect(parsedJwt(jwt({ sub: "ada", iat: 1_795_478_618 }))).toEqual(said);
    expect(parsedJwt(`Bearer ${jwt({ sub: "ada", iat: 1_795_478_618 })}`)).toEqual({ ...said, scheme: "Bearer " });
    expect(parsedJwt(jwt({ sub: "ada" }).replace(/[^.]*$/, ""))).toMatchObject({ signed: false });
  });

  it.each(["{oops", "eyJhbGciOiJIUzI1NiJ9", "eyJhbGciOiJIUzI1NiJ9.eyJub3QganNvbg.x", `see ${jwt({})}`, "a.b.c", ""])(
    "is not: %s",
    (text) => {
      expect([parsedJson(text), parsedJwt(text)]).toEqual([undefined, undefined]);
    },
  );

  const now = Math.floor(Date.now() / 1000);
  const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  const inBase62 = (value: number): string => (value === 0 ? "" : inBase62(Math.floor(value / 62)) + ALPHABET[value % 62]!);
  const asBytes = (value: number): string => {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(value);
    return bytes.toString("base64url");
  };
  const django = (payload: string, time = now): string => `${payload}:${inBase62(time)}:${"s".repeat(43)}`;
  const flask = (payload: string, time = now): string => `${payload}.${asBytes(time)}.${"s".repeat(27)}`;
  const small = part({ cart: ["pen"] });
  const compressed = `.${deflateSync(JSON.stringify({ cart: ["pen"] })).toString("base64url")}`;

  it.each([
    ["Django", django(small), { cart: ["pen"] }],
    ["Django, compressed", django(compressed), { cart: ["pen"] }],
    ["Django, a text", django("ann"), "ann"],
    ["Flask", flask(small), { cart: ["pen"] }],
    ["Flask, compressed", flask(compressed), { cart: ["pen"] }],
    ["a broken compression", flask(".AAAA"), ".AAAA"],
  ])("is signed with a time: %s", (_which, text, payload) => {
    expect(parsedSigned(text)).toEqual({ payload, time: now });
    expect(replaceSigned(`session=${text}; a=b`, (found) => JSON.stringify(found))).toBe(`session=${JSON.stringify(payload)}; a=b`);
  });

  it.each([
    ["a time far away", django(small, now - 500 * 86_400)],
    ["a signature of another length", `${django(small)}s`],
    ["two separators", django(small).replace(/:(?=[^:]*$)/, ".")],
    ["no payload", django("")],
    ["a JWT", jwt({ sub: "ada" })],
  ])("is not signed with a time: %s", (_which, text) => {
    expect(parsedSigned(text)).toBeUndefined();
    expect(replaceSigned(text, () => "")).toBe(text);
  });

  it("does not inflate without bounds", () => {
    const bomb = `.${deflateSync(Buffer.alloc(50_000_000)).toString("base64url")}`;
    expect(parsedSigned(flask(bomb))).toEqual({ payload: bomb, time: now });
  });

  it("has its JWTs replaced by their claims, wherever they stand", () => {
    const text = `session=${jwt({ sub: "ada" })}; other=${jwt({ sub: "bob" })}`;
    expect(replaceJwts(text, (claims) => JSON.stringify(claims))).toBe('session={"sub":"ada"}; other={"sub":"bob"}');
  });

  it("may be long and look like many tokens", () => {
    const text = "eyJ".repeat(300_000);
    expect(replaceJwts(`${text}.${text}`, () => "")).toBe(`${text}.${text}`);
    expect(parsedJwt(text)).toBeUndefined();
    expect(replaceSigned(`${text}.${text}`, () => "")).toBe(`${text}.${text}`);
    expect(replaceSigned("a.".repeat(300_000), () => "")).toBe("a.".repeat(300_000));
  });
});
