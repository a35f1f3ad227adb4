import { beforeAll, describe, expect, test } from "vitest";
import { counterEntry, loadHasher, type Facts, type RenamedCounter } from "../../../../src/state/index.ts";
import { canonicalizer, table } from "../support.ts";

beforeAll(loadHasher);

const NEXT: RenamedCounter = { system: "db", table: "orders", name: "orders_id_seq", column: "id", shows: "next" };

const state = (ids: readonly number[], counters: Readonly<Record<string, number | null>> = {}): Facts => ({
  systems: {
    db: {
      kind: "rows",
      counters,
      tables: [
        table(
          "orders",
          "*id item",
          ids.map((id) => [id, "tea"]),
        ),
      ],
    },
  },
  context: {},
  clients: {},
});

const at = (next: number | null): Readonly<Record<string, number | null>> => ({ orders_id_seq: next });

describe("the counter of a column whose ids are renamed", () => {
  const print = (
    facts: Facts,
    { root = [] as readonly number[], counter = NEXT, ordered = [] as readonly string[] } = {},
  ): { readonly print: string; readonly isReduced: boolean; readonly strict: number } => {
    const one = canonicalizer({ symmetric: ["orders.id"], counters: [counter], ordered });
    one.root(state(root, at(1)));
    const out = { lo: 0, hi: 0 };
    one.fingerprint(facts, out);
    return { print: `${out.lo} ${out.hi}`, isReduced: one.forgotten.size > 0, strict: one.strict };
  };

  test("is left out of the state, and merging such states is a reduction", () => {
    const [first, later] = [print(state([1], at(2))), print(state([4], at(5)))];
    expect(first.print).toBe(later.print);
    expect(first.strict).not.toBe(later.strict);
    expect(first.isReduced).toBe(true);
  });

  test("is left out also where it is not shown, because it has its value of the root state", () => {
    const [unchanged, later] = [print(state([])), print(state([], at(7)))];
    expect([unchanged.print, unchanged.isReduced]).toEqual([later.print, true]);
    expect(unchanged.strict).not.toBe(later.strict);
    expect(print(state([7])).isReduced).toBe(false);
    const other = { ...NEXT, name: "not_even_in_the_root_state" };
    expect([print(state([]), { counter: other }).isReduced, print(state([1]), { counter: other }).isReduced]).toEqual([true, false]);
  });

  test("belongs to the state while an id is ahead of it, because an insert may fail", () => {
    expect(print(state([7], at(2))).print).not.toBe(print(state([7], at(3))).print);
    expect(print(state([2], at(2))).print).not.toBe(print(state([2], at(3))).print);
    const last = { counter: { ...NEXT, shows: "last" } as const };
    expect(print(state([2], at(2)), last).print).toBe(print(state([2], at(3)), last).print);
    const root = { root: [1, 2, 3] };
    expect(print(state([], at(2)), root).print).not.toBe(print(state([], at(3)), root).print);
    expect(print(state([], at(4)), root).print).toBe(print(state([], at(5)), root).print);
  });

  test("belongs to the state if it was removed, if it is another counter, and once an audit showed that numbers matter", () => {
    expect(print(state([], at(null))).print).not.toBe(print(state([])).print);
    expect(print(state([], { other: 2 })).print).not.toBe(print(state([])).print);
    const ordered = { ordered: [counterEntry(NEXT)] };
    expect(print(state([], at(2)), ordered).print).not.toBe(print(state([], at(3)), ordered).print);
    expect(print(state([]), ordered).isReduced).toBe(false);
  });
});
