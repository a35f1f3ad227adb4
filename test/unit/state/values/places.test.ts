import { describe, expect, it } from "vitest";
import { parsedJson, replaceJwts } from "../../../../src/state/values/places.ts";

const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");
const jwt = (claims: unknown): string => `${part({ alg: "HS256" })}.${part(claims)}.c2ln_bmF0-dXJl`;

describe("a text with values in it", () => {
  it("is a JSON object or array, or a JWT, whose claims count", () => {
    expect(parsedJson('{"a":[1]}')).toEqual({ a: [1] });
    expect(parsedJson(jwt({ sub: "ada", iat: 1_795_478_618 }))).toEqual({ sub: "ada", iat: 1_795_478_618 });
    expect(parsedJson(`Bearer ${jwt({ sub: "ada" })}`)).toEqual({ sub: "ada" });
  });

  it.each(["{oops", "eyJhbGciOiJIUzI1NiJ9", "eyJhbGciOiJIUzI1NiJ9.eyJub3QganNvbg.x", `see ${jwt({})}`, "a.b.c", ""])(
    "is not: %s",
    (text) => {
      expect(parsedJson(text)).toBeUndefined();
    },
  );

  it("has its JWTs replaced by their claims, wherever they stand", () => {
    const text = `session=${jwt({ sub: "ada" })}; other=${jwt({ sub: "bob" })}`;
    expect(replaceJwts(text, (claims) => JSON.stringify(claims))).toBe('session={"sub":"ada"}; other={"sub":"bob"}');
  });

  it("may be long and look like many tokens", () => {
    const text = "eyJ".repeat(300_000);
    expect(replaceJwts(`${text}.${text}`, () => "")).toBe(`${text}.${text}`);
    expect(parsedJson(text)).toBeUndefined();
  });
});
