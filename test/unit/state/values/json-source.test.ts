import { expect, it } from "vitest";
import { jsonKeys, jsonNumber, likeJson, readJson, writeJson } from "../../../../src/state/values/json-source.ts";

it.each([
  '{"b":1,"2":[{"3":null,"1":1.50}],"a":"x","1":{"__proto__":-0.0}}',
  '[1.0,100,1e2,1E+400,0.1234567890123456789,-0,"1.0",true,{"toString":"\\"}{"}]',
  '{"":1.0}',
  "1",
])("reads and writes %s without a loss", (text) => {
  expect(writeJson(readJson(text))).toBe(text);
  const spaced = text.replaceAll(":", " : ").replaceAll(",", ",\n");
  expect(writeJson(readJson(spaced))).toBe(text);
  expect(readJson(text)).toEqual(JSON.parse(text));
});

it.each(["{oops", '{"a":1,"a":1}', '[{"b":{},"b":2}]', "[".repeat(100_000) + "]".repeat(100_000), ""])("does not read %.20s", (text) => {
  expect(readJson(text)).toBeUndefined();
});

it("gives a copy the order and the numbers that are left in it", () => {
  const value = readJson('{"2":1.0,"1":2,"0":3.0}') as object;
  const copy = likeJson({ "0": "masked", "2": 1 }, value);
  expect([jsonKeys(copy), jsonNumber(copy, "2"), writeJson(copy)]).toEqual([["2", "0"], "1.0", '{"2":1.0,"0":"masked"}']);
  const renamed = likeJson(new Map([["x", 1]]), value, (key) => (key === "2" ? "x" : key));
  expect(jsonNumber(renamed, "x")).toBe("1.0");
});
