import { describe, expect, it } from "vitest";
import type { StoresView } from "../../../src/model/declare/rule.ts";
import { Generated, Mixed, Time } from "../../../src/state/values/named.ts";
import { bringsBackRows, columnsText, onlyAdds, redoes, repeats, storeChanges } from "../../../src/rules/store-changes.ts";

type Rows = Readonly<Record<string, Readonly<Record<string, number>>>>;

/** `changed`: the number of changed rows by table. Each changed row has another value in the column `text`. */
const view = (tables: Rows, changed: Readonly<Record<string, number>> = {}): StoresView => ({
  without: () => view(tables),
  changedRows: () => ({
    fields: Object.keys(changed).map((name) => `${name.slice(3)}.text`),
    counts: new Map(Object.entries(changed)),
  }),
  fingerprint: JSON.stringify(tables),
  same: (other) => other.fingerprint === JSON.stringify(tables),
  changedFields: (other) => [...other.tables.keys()].map((name) => `${name.slice(3)}.text`),
  tables: new Map(Object.entries(tables).map(([name, rows]) => [name, new Map(Object.entries(rows))])),
});

describe("what one state's stores have and another's have not", () => {
  // Relative to the root state: a row of the root that is gone counts as one less.
  const before = view({ "db.notes": { a: 1, b: 2 }, "db.tags": { t: -1 } });

  it.each([
    ["nothing", before, "", true],
    ["a row more", view({ "db.notes": { a: 1, b: 2, c: 1 }, "db.tags": { t: -1 } }), "db.notes: 1 row added", true],
    ["a table more", view({ "db.log": { x: 2 }, "db.notes": { a: 1, b: 2 }, "db.tags": { t: -1 } }), "db.log: 2 rows added", true],
    ["a row of the root that is back", view({ "db.notes": { a: 1, b: 2 } }), "db.tags: 1 row added", true],
    ["a row less", view({ "db.notes": { b: 2 }, "db.tags": { t: -1 } }), "db.notes: 1 row removed", false],
    ["one of two equal rows less", view({ "db.notes": { a: 1, b: 1 }, "db.tags": { t: -1 } }), "db.notes: 1 row removed", false],
    ["another row", view({ "db.notes": { a2: 1, b: 2 }, "db.tags": { t: -1 } }), "db.notes: 1 row added, 1 removed", false],
    ["a table less", view({ "db.tags": { t: -1 } }), "db.notes: 3 rows removed", false],
  ])("is told: %s", (_what, after, words, adds) => {
    expect([storeChanges(before, after), onlyAdds(before, after)]).toEqual([words, adds]);
  });

  it("counts changed rows apart, and names their columns only", () => {
    const said = (after: Rows, changed: Readonly<Record<string, number>>): readonly string[] => {
      const views = [view({ "db.notes": { a: 1, b: 2 } }, changed), view(after)] as const;
      return [storeChanges(...views), columnsText(...views)];
    };
    const log = { "db.log": { x: 1 } };
    expect(said({ "db.notes": { b: 2 } }, {})).toEqual(["db.notes: 1 row removed", ""]);
    expect(said({ "db.notes": { a2: 1, b: 2 } }, {})).toEqual(["db.notes: 1 row added, 1 removed", ""]);
    expect(said({ "db.notes": { a2: 1, b: 2 }, ...log }, { "db.notes": 1 })).toEqual([
      "db.log: 1 row added; db.notes: 1 row changed",
      " (notes.text)",
    ]);
    expect(said({ "db.notes": { a2: 1, b: 3 } }, { "db.notes": 1 })).toEqual(["db.notes: 1 row added, 1 changed", " (notes.text)"]);
  });

  it("names ten tables at most", () => {
    const many = view(Object.fromEntries(Array.from({ length: 13 }, (_, i) => [`t${String(i).padStart(2, "0")}`, { a: 1 }])));
    expect(storeChanges(view({}), many)).toMatch(/^t00: 1 row added; .*; t09: 1 row added; 3 more$/);
  });
});

describe("a change that is made again", () => {
  // The row of the root state is gone after the removal, and there again after the second change.
  const gone = view({ "db.members": { '["bob",1]': -1 } });
  const there = view({});

  it("is recognized by a value, in another row, too, and in rows of the root state", () => {
    expect(redoes([gone, there], [gone, there])).toBe(true);
    expect(redoes([gone, there], [gone, view({ "db.members": { '["bob",1]': -1, '["bob",2]': 1 } })])).toBe(true);
    expect(redoes([gone, there], [gone, view({ "db.members": { '["bob",1]': -1, '["eve",2]': 1 } })])).toBe(false);
    expect(redoes([gone, there], [there, there])).toBe(false);
  });

  it("is told from a replaced row that is back", () => {
    const used = view({ "db.codes": { '["abc","open"]': -1, '["abc","used"]': 1 } });
    expect(bringsBackRows(there, used, there)).toBe(true);
    expect(bringsBackRows(there, used, used)).toBe(false);
    expect(bringsBackRows(gone, there, gone)).toBe(false);
  });
});

describe("a value that the stores already had", () => {
  const id = (key: string): Generated =>
    new Generated(key, "t", { label: key, shape: "s", step: 1, domain: "d", ancestry: [], source: "" });
  const at = (ms: number): Time => new Time(ms, "iso", { name: "+0", step: 1, domain: "outbox.created_at", isFuture: false });
  /** A table whose rows each have one column with a value. */
  const outbox = (...values: readonly unknown[]): StoresView =>
    view({ "db.outbox": Object.fromEntries(values.map((value) => [JSON.stringify([value]), 1])) });

  it.each<readonly [what: string, known: unknown, added: unknown, isRepeated: boolean]>([
    ["another id", id("a"), id("b"), false],
    ["another id of the root state", new Generated("1", "t", undefined), new Generated("2", "t", undefined), false],
    ["the same id of another step", id("a"), { ...id("a"), origin: { ...id("a").origin, step: 2 }, other: 1 }, true],
    ["another time", at(1), at(2), false],
    ["a time of the same second", at(1), { ...at(1), origin: { ...at(1).origin, name: "+1" } }, false],
    ["a text with another id", new Mixed(["order ", id("a")]), new Mixed(["order ", id("b")]), false],
    ["a text with the same id", new Mixed(["order ", id("a")]), { parts: ["order ", { ...id("a"), origin: undefined }] }, true],
    ["a text with a time", new Mixed(["at ", at(1)]), new Mixed(["at ", at(2)]), false],
    ["other ids in a list", [{ id: id("a"), at: at(1) }], [{ id: id("b"), at: at(2) }], false],
    ["the same amount in a list", [{ id: id("a"), amount: 5 }], [{ id: id("b"), amount: 5 }], true],
    ["other bytes", Uint8Array.of(1, 2), Uint8Array.of(1, 3), false],
    ["other bytes of a buffer", Buffer.of(1, 2), Buffer.of(1, 3), false],
    ["an empty object", {}, {}, false],
    ["an object of the target", { form: "tea", ms: 1 }, { form: "tea", ms: 2 }, true],
  ])("is recognized by its content: %s", (_what, known, added, isRepeated) => {
    const before = outbox(known);
    expect(repeats(before, [before, outbox(known, added)])).toBe(isRepeated);
    expect(redoes([outbox(), before], [outbox(), outbox(added)])).toBe(isRepeated);
  });
});
