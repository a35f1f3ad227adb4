import { randomUUID } from "node:crypto";
import { beforeAll, expect, test } from "vitest";
import { Canonicalizer, loadHasher } from "../../../src/state/index.ts";
beforeAll(loadHasher);
test("ids drawn at random are renamed", () => {
  const print = (): string => {
    const out = { lo: 0, hi: 0 };
    new Canonicalizer({ clockMs: 0, literals: new Set(), ignore: [], symmetric: [], placeholders: [], masked: [] }).fingerprint(
      { systems: {}, context: { id: randomUUID() }, clients: {} },
      out,
    );
    return `${out.lo} ${out.hi}`;
  };
  expect(print()).toBe(print());
});
