import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { loadHasher } from "../../../src/state/index.ts";
import { size } from "../../sizes.ts";
import { canonicalizer, facts, permutations, print, table } from "./support.ts";

beforeAll(loadHasher);

const IDS = 5;
const RENAMINGS = [...permutations([0, 1, 2, 3, 4])];

/** A state by the numbers of its ids. */
interface Abstract {
  readonly users: readonly (readonly [id: number, name: number])[];
  readonly friends: readonly (readonly [a: number, b: number])[];
  readonly orders: readonly (readonly [id: number, owner: number | null, status: number])[];
  readonly current: number | null;
  readonly last: number | null;
  readonly nested: readonly (readonly [key: number, value: number])[];
}

const id = fc.nat(IDS - 1);
const maybe = fc.option(id, { freq: 2 });
const abstract: fc.Arbitrary<Abstract> = fc.record({
  users: fc.array(fc.tuple(id, fc.nat(1)), { maxLength: 3 }),
  friends: fc.array(fc.tuple(id, id), { maxLength: 6 }),
  orders: fc.array(fc.tuple(id, maybe, fc.nat(1)), { maxLength: 3 }),
  current: maybe,
  last: maybe,
  nested: fc.uniqueArray(fc.tuple(id, id), { maxLength: 2, selector: ([key]) => key }),
});

/** The least text over all renamings: the definition of what the canonical form computes. */
function bruteForce(state: Abstract): string {
  let least: string | undefined;
  for (const to of RENAMINGS) {
    const name = (value: number | null): string => (value === null ? "-" : `#${to[value]}`);
    const text = JSON.stringify([
      state.users.map(([key, label]) => `${name(key)} ${label}`).sort(),
      state.friends.map(([a, b]) => `${name(a)} ${name(b)}`).sort(),
      state.orders.map(([key, owner, status]) => `${name(key)} ${name(owner)} ${status}`).sort(),
      name(state.current),
      name(state.last),
      state.nested.map(([key, value]) => `${name(key)} ${name(value)}`).sort(),
    ]);
    if (least === undefined || text < least) least = text;
  }
  return least!;
}

function concrete(state: Abstract): ReturnType<typeof facts> {
  const uuid = Array.from({ length: IDS }, () => randomUUID());
  const name = (value: number | null): string | null => (value === null ? null : uuid[value]!);
  const shuffled = <T>(items: readonly T[]): T[] => items.toSorted(() => Math.random() - 0.5);
  return facts({
    systems: {
      db: {
        kind: "rows",
        counters: {},
        tables: [
          table("friends", "a b", shuffled(state.friends.map(([a, b]) => [name(a), name(b)]))),
          table("orders", "*id owner status", shuffled(state.orders.map(([key, owner, status]) => [name(key), name(owner), status]))),
          table("users", "*id name", shuffled(state.users.map(([key, label]) => [name(key), `n${label}`]))),
        ],
      },
      memory: { kind: "value", value: new Map(shuffled(state.nested.map(([key, value]) => [name(key), { to: name(value) }]))) },
    },
    context: { current: name(state.current), last: state.last === null ? null : `/orders/${name(state.last)}` },
  });
}

test("agrees with brute force over all renamings: no wrong split, no wrong merge", () => {
  const canonical = canonicalizer();
  const byText = new Map<string, string>();
  const byPrint = new Map<string, string>();
  fc.assert(
    fc.property(abstract, (state) => {
      const text = bruteForce(state);
      const fingerprint = print(canonical, concrete(state));
      expect(canonical.wasBounded).toBe(false);
      expect(byText.get(text) ?? fingerprint).toBe(fingerprint);
      expect(byPrint.get(fingerprint) ?? text).toBe(text);
      byText.set(text, fingerprint);
      byPrint.set(fingerprint, text);
    }),
    { numRuns: size(300, 20_000) },
  );
  expect(byText.size).toBeGreaterThan(size(250, 500));
}, 120_000);

test("small dense graphs, where colours alone decide little, agree too", () => {
  const canonical = canonicalizer();
  const byText = new Map<string, string>();
  const byPrint = new Map<string, string>();
  const graph = fc.array(fc.tuple(id, id), { minLength: 2, maxLength: 7 });
  fc.assert(
    fc.property(graph, (friends) => {
      const state: Abstract = { users: [], friends, orders: [], current: null, last: null, nested: [] };
      const text = bruteForce(state);
      const fingerprint = print(canonical, concrete(state));
      expect(byText.get(text) ?? fingerprint).toBe(fingerprint);
      expect(byPrint.get(fingerprint) ?? text).toBe(text);
      byText.set(text, fingerprint);
      byPrint.set(fingerprint, text);
    }),
    { numRuns: size(100, 20_000) },
  );
  expect(byText.size).toBeGreaterThan(size(50, 100));
}, 120_000);
