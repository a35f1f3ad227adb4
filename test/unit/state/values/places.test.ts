import { describe, expect, it } from "vitest";
import { parsedJson, parsedJwt, replaceJwts } from "../../../../src/state/values/places.ts";

const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");
const jwt = (claims: unknown): string => `${part({ alg: "HS256" })}.${part(claims)}.c2ln_bmF0-dXJl`;

describe("a text with values in it", () => {
  it("is a JSON object or array, or a JWT, which counts by what it says", () => {
    expect(parsedJson('{"a":[1]}')).toEqual({ a: [1] });
    expect(parsedJson('{"card":"4000000000000002","rate":0.3333333333333333}')).toEqual({ card: "4000000000000002", rate: 1 / 3 });
    const said = { header: { alg: "HS256" }, claims: { sub: "ada", iat: 1_795_478_618 }, signed: true };
    expect(parsedJwt(jwt({ sub: "ada", iat: 1_795_478_618 }))).toEqual(said);
    expect(parsedJwt(`Bearer ${jwt({ sub: "ada", iat: 1_795_478_618 })}`)).toEqual({ ...said, scheme: "Bearer " });
    expect(parsedJwt(jwt({ sub: "ada" }).replace(/[^.]*$/, ""))).toMatchObject({ signed: false });
  });

  it.each([
    "{oops",
    '{"id":9007199254740993}',
    '["x",-178362536745730049 ]',
    "eyJhbGciOiJIUzI1NiJ9",
    "eyJhbGciOiJIUzI1NiJ9.eyJub3QganNvbg.x",
    `see ${jwt({})}`,
    "a.b.c",
    "",
  ])("is not: %s", (text) => {
    expect([parsedJson(text), parsedJwt(text)]).toEqual([undefined, undefined]);
  });

  it("has its JWTs replaced by their claims, wherever they stand", () => {
    const text = `session=${jwt({ sub: "ada" })}; other=${jwt({ sub: "bob" })}`;
    expect(replaceJwts(text, (claims) => JSON.stringify(claims))).toBe('session={"sub":"ada"}; other={"sub":"bob"}');
  });

  it("may be long and look like many tokens", () => {
    const text = "eyJ".repeat(300_000);
    expect(replaceJwts(`${text}.${text}`, () => "")).toBe(`${text}.${text}`);
    expect(parsedJwt(text)).toBeUndefined();
  });
});
