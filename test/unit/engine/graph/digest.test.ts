import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Digest, hashOf } from "../../../../src/engine/graph/digest.ts";

type Entry = readonly [number, number, number, number] | string;

const entry: fc.Arbitrary<Entry> = fc.oneof(fc.tuple(fc.integer(), fc.integer(), fc.integer(), fc.integer()), fc.string({ minLength: 1 }));

function digestOf(entries: readonly Entry[]): Digest {
  const digest = new Digest();
  for (const one of entries) {
    if (typeof one === "string") digest.addText(one);
    else digest.add(...one);
  }
  return digest;
}

describe("Digest", () => {
  it("is 16 hexadecimal digits", () => {
    expect(new Digest().value()).toMatch(/^[0-9a-f]{16}$/);
    expect(digestOf([[1, 2, 3, 4]]).value()).toMatch(/^[0-9a-f]{16}$/);
  });

  it("is the same for the same sequence, however often it was read meanwhile", () => {
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 600 }), fc.array(entry), (first, then) => {
        const read = digestOf(first);
        read.value();
        for (const one of then) {
          if (typeof one === "string") read.addText(one);
          else read.add(...one);
          read.value();
        }
        expect(read.value()).toBe(digestOf([...first, ...then]).value());
      }),
      { numRuns: 50 },
    );
  });

  it("differs when one value, the order, or the length differs, before and after the buffer is full", () => {
    for (const length of [1, 255, 256, 257, 1000]) {
      const entries = Array.from({ length }, (_, i): Entry => [i, i + 1, -i, 0]);
      const value = digestOf(entries).value();
      expect(digestOf([...entries.slice(0, -1), [length - 1, length, 1 - length, 1]]).value()).not.toBe(value);
      expect(digestOf([...entries, [0, 0, 0, 0]]).value()).not.toBe(value);
      if (length > 1) expect(digestOf(entries.toReversed()).value()).not.toBe(value);
    }
  });
});

it("hashOf is stable", () => {
  expect(hashOf("seqqa")).toBe(hashOf("seqqa"));
  expect(hashOf("")).toBe("ef46db3751d8e999"); // XXH64 of nothing with seed 0
  expect(hashOf("a")).not.toBe(hashOf("b"));
});
