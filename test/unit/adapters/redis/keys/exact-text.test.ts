import { expect, test } from "vitest";
import { sameEntry } from "../../../../../src/adapters/redis/keys/exact-text.ts";
import type { Entry } from "../../../../../src/adapters/redis/keys/entry.ts";

test("hashes are equal only if their fields have the same lifetimes, in any order", () => {
  const entry = (dump: string, fieldTimes: readonly (string | number)[]): Entry => ({
    type: "hash",
    dump,
    at: 0,
    left: 0,
    readMs: 0,
    value: ["a", "1", "b", "2"],
    fieldTimes,
  });
  expect(sameEntry(entry("1", []), entry("2", []))).toBe(true);
  expect(sameEntry(entry("1", ["a", 5, "b", 7]), entry("2", ["b", 7, "a", 5]))).toBe(true);
  expect(sameEntry(entry("1", ["a", 5]), entry("2", ["a", 6]))).toBe(false);
  expect(sameEntry(entry("1", ["a", 5]), entry("2", []))).toBe(false);
});
