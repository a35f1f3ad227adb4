import { describe, expect, it } from "vitest";
import {
  flag,
  integer,
  listOf,
  mapOf,
  members,
  nullable,
  oneOf,
  optional,
  parseAs,
  ShapeError,
  text,
  words,
  wordsText,
  type Shape,
} from "../../../../src/lane-pools/cluster/shape.ts";

const shape = members<{
  readonly n: number;
  readonly list: readonly string[];
  readonly kind: "a" | "b";
  readonly more?: boolean | undefined;
}>({
  n: integer(0, 9),
  list: listOf(text(3), 2),
  kind: oneOf("a", "b"),
  more: optional(flag),
});

describe("parseAs", () => {
  it("takes what fits, without what nobody asked for", () => {
    expect(parseAs('{"n":1,"list":["x"],"kind":"b","strange":{}}', shape)).toEqual({ n: 1, list: ["x"], kind: "b" });
    expect(parseAs('{"n":1,"list":[],"kind":"a","more":false}', shape)).toEqual({ n: 1, list: [], kind: "a", more: false });
    expect(parseAs("null", nullable(shape))).toBeNull();
    expect(parseAs('{"constructor":"x","toString":"y"}', mapOf(text()))).toEqual({ constructor: "x", toString: "y" });
  });

  it.each<[string, string, Shape<unknown>]>([
    ["no JSON", "{", shape],
    ["nothing", "", shape],
    ["a number out of range", '{"n":10,"list":[],"kind":"a"}', shape],
    ["a fraction", '{"n":1.5,"list":[],"kind":"a"}', shape],
    ["a number that is none", '{"n":1e999,"list":[],"kind":"a"}', shape],
    ["a text for a number", '{"n":"1","list":[],"kind":"a"}', shape],
    ["a list that is too long", '{"n":1,"list":["","",""],"kind":"a"}', shape],
    ["a text that is too long", '{"n":1,"list":["long"],"kind":"a"}', shape],
    ["an object for a list", '{"n":1,"list":{"length":1},"kind":"a"}', shape],
    ["an unknown kind", '{"n":1,"list":[],"kind":"c"}', shape],
    ["a kind from the prototype", '{"n":1,"list":[],"kind":"constructor"}', shape],
    ["a member from the prototype", '{"n":1,"list":[]}', members<object>({ valueOf: text() } as never)],
    ["__proto__", '{"n":1,"list":[],"kind":"a","__proto__":{"more":true}}', shape],
    ["__proto__ far inside", `{"a":[{"b":{"__proto__":1}}]}`, ((value: unknown) => value) as Shape<unknown>],
    ["nesting", `${"[".repeat(100_000)}${"]".repeat(100_000)}`, ((value: unknown) => value) as Shape<unknown>],
    ["a list for an object", "[]", shape],
  ])("refuses %s", (_what, given, as) => {
    expect(() => parseAs(given, as)).toThrow(ShapeError);
  });
});

describe("words", () => {
  it("come back as they were, from any place in a buffer", () => {
    const given = Int32Array.from([9, -1, 2 ** 31 - 1, -(2 ** 31), 0]).subarray(1);
    expect([...parseAs(JSON.stringify(wordsText(given)), words(4))]).toEqual([...given]);
    expect([...parseAs('""', words(0))]).toEqual([]);
  });

  it.each(['"AAA"', '"AAAAAAA="', '"AAAAAAAAAAAAAAAA"', '"-_-_"', "7"])("are no %s", (given) => {
    expect(() => parseAs(given, words(2))).toThrow(ShapeError);
  });
});
