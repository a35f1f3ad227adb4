import { describe, expect, test } from "vitest";
import { globMatcher, keyFilter } from "../../../../../src/adapters/redis/keys/glob.ts";
import { size } from "../../../../sizes.ts";
import { Random } from "../../../../contract/system/random.ts";
import { ownServer } from "../scratch.ts";

const server = ownServer();

describe("patterns mean what they mean to Redis", () => {
  test("for random patterns and keys", async () => {
    const client = server.client();
    const random = new Random(11);
    const draw = (letters: readonly string[], most: number): string =>
      Array.from({ length: random.below(most) }, () => random.pick(letters)).join("");
    const keys = [
      ...new Set(Array.from({ length: 300 }, () => draw(["a", "b", "c", "-", "]", "[", "*", "?", "\\", "^", "\n", ".", "ü"], 5))),
    ];
    // KEYS has a quirk of its own there: only a single asterisk matches the empty key.
    if (keys.includes("")) keys.splice(keys.indexOf(""), 1);
    await client.mset(...keys.flatMap((key) => [key, "1"]));
    for (let i = 0; i < size(400, 10_000); i++) {
      const pattern = draw(
        ["a", "b", "c", "*", "?", "[ab]", "[^a]", "[a-c]", "[c-a]", "\\*", "\\[", "[\\]]", "[^", "[", "]", ".", "ü", "$", "(", "|"],
        5,
      );
      const found = (await client.keysBuffer(pattern)).map((key) => key.toString("latin1")).sort();
      const matches = globMatcher(pattern);
      const expected = keys
        .map((key) => Buffer.from(key).toString("latin1"))
        .filter((key) => matches(key))
        .sort();
      expect(expected, JSON.stringify(pattern)).toEqual(found);
    }
  });
});

test("keys choose, ignore leaves out", () => {
  const observes = keyFilter(["order:*"], ["*:cache"]);
  expect(["order:1", "order:1:cache", "user:1"].map(observes)).toEqual([true, false, false]);
  expect(keyFilter(undefined, [])("anything")).toBe(true);
});
