import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { differences, namedAs } from "../../../src/state/index.ts";

const row = (cells: string, table = "orders", sign = "+"): string => `systems.db.${table} ${sign} {${cells}}`;

describe("names of generated values", () => {
  it("are those of the expected state, where one row more gave all others another number", () => {
    const before = [row('id: #1, title: "a"'), row('id: #2, title: "b"')];
    const after = [row('id: #1, title: "new"'), row('id: #2, title: "a"'), row('id: #3, title: "b"')];
    expect(namedAs(before, after)).toEqual([row('id: #3, title: "new"'), ...before]);
    expect(differences(before, after)).toEqual(['+ systems.db.orders + {id: #3, title: "new"}']);
  });

  it("inside of texts, too; those of the root stay", () => {
    const hash = (name: string): string => `systems.db.users + {id: root#1, password: "$2y$10$${name}"}`;
    expect(differences([hash("#1"), row("id: #2, a: 1")], [hash("#2"), row("id: #1, a: 2")])).toEqual([
      "- systems.db.orders + {id: #2, a: 1}",
      "+ systems.db.orders + {id: #2, a: 2}",
    ]);
  });

  it("are no reason to say that nothing differs", () => {
    expect(differences(['context.title = "#1"'], ['context.title = "#2"'])).toEqual(['- context.title = "#1"', '+ context.title = "#2"']);
  });

  it("two values never get one name, and equal lines stay equal", () => {
    const line = fc.tuple(fc.constantFrom("a", "b", "c"), fc.array(fc.integer({ min: 1, max: 5 }), { maxLength: 3 }));
    const lines = fc.array(
      line.map(([word, ids]) => `${word} ${ids.map((id) => `#${id}`).join(" ")}`),
      { maxLength: 6 },
    );
    fc.assert(
      fc.property(lines, lines, (model, own) => {
        const renamed = namedAs(model, own);
        const pairs = own.flatMap((text, at) => {
          const to = renamed[at]!.match(/#\d+/g) ?? [];
          return (text.match(/#\d+/g) ?? []).map((name, i) => [name, to[i]!] as const);
        });
        expect(new Set(pairs.map(([from, to]) => `${from} ${to}`)).size).toBe(new Set(pairs.map(([from]) => from)).size);
        expect(new Set(pairs.map(([, to]) => to)).size).toBe(new Set(pairs.map(([from]) => from)).size);
      }),
    );
  });
});

describe("what tells two states apart", () => {
  it.each<[string, string[], string[], string[]]>([
    [
      "a row: its first column, and those that differ",
      [row('id: #1, user: root#1, status: "created", paid: 0, note: null')],
      [row('id: #1, user: root#1, status: "paid", paid: 2, note: null')],
      ['- systems.db.orders + {id: #1, status: "created", paid: 0}', '+ systems.db.orders + {id: #1, status: "paid", paid: 2}'],
    ],
    [
      "rows are paired by their first column, whatever else they share",
      [row("id: 1, a: 1, b: 1"), row("id: 2, a: 5, b: 5")],
      [row("id: 1, a: 5, b: 5"), row("id: 2, a: 1, b: 1")],
      [
        "- systems.db.orders + {id: 1, a: 1, b: 1}",
        "+ systems.db.orders + {id: 1, a: 5, b: 5}",
        "- systems.db.orders + {id: 2, a: 5, b: 5}",
        "+ systems.db.orders + {id: 2, a: 1, b: 1}",
      ],
    ],
    [
      "a row without a partner is whole, and comes after the pairs",
      [row("id: 9, a: 1", "events"), row("id: 1, a: 1, b: 2")],
      [row("id: 1, a: 1, b: 3"), row("id: 7, a: 2", "items")],
      [
        "- systems.db.orders + {id: 1, b: 2}",
        "+ systems.db.orders + {id: 1, b: 3}",
        "- systems.db.events + {id: 9, a: 1}",
        "+ systems.db.items + {id: 7, a: 2}",
      ],
    ],
    [
      "a value",
      ["context.cart = 1", "systems.db.orders counter = 3"],
      ["context.cart = 2", "systems.db.orders counter = 4"],
      ["- context.cart = 1", "+ context.cart = 2", "- systems.db.orders counter = 3", "+ systems.db.orders counter = 4"],
    ],
    [
      "text with commas, colons, quotes and braces",
      [row('id: 1, a: "x, b: 2}", c: {d: "\\", e: 1"}, f: [1, 2]')],
      [row('id: 1, a: "x, b: 2}", c: {d: "\\", e: 2"}, f: [1, 2]')],
      ['- systems.db.orders + {id: 1, c: {d: "\\", e: 1"}}', '+ systems.db.orders + {id: 1, c: {d: "\\", e: 2"}}'],
    ],
    [
      "a long text, near the place where it differs",
      [row(`id: 1, a: "${"x".repeat(300)}old${"y".repeat(300)}"`)],
      [row(`id: 1, a: "${"x".repeat(300)}new${"y".repeat(300)}"`)],
      [
        `- systems.db.orders + {id: 1, a: "...${"x".repeat(30)}old${"y".repeat(27)}..."}`,
        `+ systems.db.orders + {id: 1, a: "...${"x".repeat(30)}new${"y".repeat(27)}..."}`,
      ],
    ],
  ])("%s", (_what, before, after, expected) => expect(differences(before, after)).toEqual(expected));

  it("is not cut before anything that differs", () => {
    const same = Array.from({ length: 100 }, (_, i) => row(`id: ${i}, a: 1`));
    expect(differences([...same, row("id: 500, a: 1, b: 1")], [...same, row("id: 500, a: 2, b: 1")], 5)).toEqual([
      "- systems.db.orders + {id: 500, a: 1}",
      "+ systems.db.orders + {id: 500, a: 2}",
    ]);
    expect(differences([row("id: 1, a: 1"), row("id: 2, a: 1")], [], 1)).toEqual(["- systems.db.orders + {id: 1, a: 1}", "... and 1 more"]);
  });

  it("is empty for equal states alone, and reads any line", () => {
    const line = fc.oneof(
      fc.string(),
      fc.string().map((text) => row(text)),
      fc.string().map((text) => `context.a = ${text}`),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 6 }), fc.array(line, { maxLength: 6 }), (a, b) => {
        const shown = differences(a, b, 100);
        expect(shown.length === 0).toBe(JSON.stringify([...a].sort()) === JSON.stringify([...b].sort()));
        expect(shown.every((one) => /^[+-] /.test(one))).toBe(true);
      }),
    );
  });
});
