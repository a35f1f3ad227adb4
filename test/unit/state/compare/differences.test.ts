import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { differences } from "../../../../src/state/index.ts";

const row = (cells: string, table = "orders", sign = "+"): string => `systems.db.${table} ${sign} {${cells}}`;

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
      "places in which only names of generated values differ are counted after other differences",
      ['clients."".cookies[0].name = "cache"', row("id: 1, user: root#2"), "context.user = root#2"],
      [row("id: 1, user: root#3"), "context.user = root#3"],
      ['- clients."".cookies[0].name = "cache"', "... and 2 places in which only names of generated values differ"],
    ],
    [
      "names of generated values, if nothing else differs",
      ["context.user = root#2"],
      ["context.user = root#3"],
      ["- context.user = root#2", "+ context.user = root#3"],
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
