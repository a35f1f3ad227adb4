import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { differences } from "../../../../src/state/index.ts";
import { mark, sameNames, shownNames, type Marked } from "../../../../src/state/canonical/same-names.ts";

/** Lines with `#1` for the first generated value. */
const state = (...lines: readonly string[]): Marked =>
  lines.map((line) => line.replaceAll(/#(t?)(\d+)/g, (_, kind: "" | "t", number: string) => mark(kind, Number(number))));

const shown = (first: Marked, second: Marked): readonly string[] => differences(shownNames(first), shownNames(sameNames(first, second)));

describe("the names of generated values on both sides of a comparison", () => {
  it("are those of the first side, wherever a value stands in the place of another", () => {
    const first = state('db.o + {id: #1, of: "a"}', 'db.o + {id: #2, of: "b"}', "context.last = #2");
    const second = state('db.o + {id: #2, of: "a"}', 'db.o + {id: #1, of: "b"}', "context.last = #1", 'db.o + {id: #3, of: "c"}');
    expect(shown(first, second)).toEqual(['+ db.o + {id: #3, of: "c"}']);
  });

  it("leave a reference to another row what differs, and not the rows", () => {
    const rows = ['db.o + {id: #1, of: "a"}', 'db.o + {id: #2, of: "b"}'];
    const second = ['db.o + {id: #5, of: "a"}', 'db.o + {id: #1, of: "b"}'];
    expect(shown(state("context.last = #1", ...rows), state("context.last = #1", ...second))).toEqual([
      "- context.last = #1",
      "+ context.last = #2",
    ]);
  });

  it("are found in rows of which a column differs, too, and are new for what the first side does not have", () => {
    const first = state('db.o + {id: #1, of: "a", state: "paid"}', 'db.o + {id: #2, of: "b", state: "new"}');
    const second = state('db.o + {id: #2, of: "a", state: "cancelled"}', 'db.o + {id: #3, of: "b", state: "new"}', "db.e + {id: #1}");
    expect(shown(first, second)).toEqual([
      '- db.o + {id: #1, state: "paid"}',
      '+ db.o + {id: #1, state: "cancelled"}',
      "+ db.e + {id: #3}",
    ]);
  });

  it("never make two values of one row one", () => {
    expect(shown(state("db.o + {billing: #1, shipping: #1}"), state("db.o + {billing: #5, shipping: #6}"))).toEqual([
      "- db.o + {billing: #1, shipping: #1}",
      "+ db.o + {billing: #1, shipping: #6}",
    ]);
  });

  it("of rows that are alike, are those by which other rows and values know them", () => {
    const first = state('db.carts + {id: #1, is: "new"}', "db.orders + {cart: #1, total: 5}");
    const second = state('db.carts + {id: #5, is: "new"}', 'db.carts + {id: #6, is: "new"}', "db.orders + {cart: #6, total: 5}");
    expect(shown(first, second)).toEqual(['+ db.carts + {id: #5, is: "new"}']);
    const known = state("context.cart = #2", 'db.carts + {id: #1, is: "new"}', 'db.carts + {id: #2, is: "new"}');
    const swapped = state("context.cart = #1", 'db.carts + {id: #1, is: "new"}', 'db.carts + {id: #2, is: "new"}');
    expect(shown(known, swapped)).toEqual([]);
  });

  it("are looked for in a bounded number of comparisons: rows by the thousand would take minutes", () => {
    const rows = (count: number, from: number): Marked =>
      Array.from({ length: count }, (_, index) => `db.t + {id: ${mark("", from + index)}, n: ${index % 50}}`);
    expect(sameNames(rows(5000, 1), rows(5000, 2))).toHaveLength(5000);
  });

  it("leave text alone that looks like one, and are no times", () => {
    expect(shown(['context.a = "#t1"', `context.b = ${mark("", 1)}`], ['context.a = "#t1"', `context.b = ${mark("t", 1)}`])).toEqual([
      "- context.b = #1",
      "+ context.b = #t1",
    ]);
  });

  it("show no difference between a state and itself under other names, and never hide one", () => {
    const line = fc.record({
      table: fc.constantFrom("a", "b"),
      ids: fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 2 }),
      text: fc.constantFrom("x", "y"),
    });
    const lines = fc.array(line, { maxLength: 6 });
    const written = (all: (typeof line extends fc.Arbitrary<infer T> ? T : never)[], name: (id: number) => number): Marked =>
      all.map(({ table, ids, text }) => `db.${table} + {${ids.map((id, i) => `c${i}: ${mark("", name(id))}, `).join("")}t: "${text}"}`);
    fc.assert(
      fc.property(lines, lines, fc.shuffledSubarray([1, 2, 3, 4], { minLength: 4 }), (all, others, order) => {
        const first = written(all, (id) => id);
        const second = written(others, (id) => order[id - 1]!);
        const renamed = sameNames(first, second);
        // A renaming: as many marks as before, and equal where they were.
        const marks = (of: Marked): string[] => of.flatMap((one) => one.match(/\u{F0000}t?\d+\u{F0001}/gu) ?? []);
        const pairs = new Set(marks(second).map((own, place) => `${own} ${marks(renamed)[place]!}`));
        expect(pairs.size).toBe(new Set(marks(second)).size);
        expect(new Set(marks(renamed)).size).toBe(pairs.size);
      }),
    );
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 4 }), fc.shuffledSubarray([1, 2, 3, 4], { minLength: 4 }), (count, order) => {
        const row = (id: number, name: (id: number) => number): string => `db.a + {id: ${mark("", name(id))}, n: ${id}}`;
        const ids = Array.from({ length: count }, (_, index) => index + 1);
        expect(
          shown(
            ids.map((id) => row(id, (one) => one)),
            ids.map((id) => row(id, (one) => order[one - 1]!)),
          ),
        ).toEqual([]);
      }),
    );
  });
});
