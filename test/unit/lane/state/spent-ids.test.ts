import { describe, expect, test } from "vitest";
import { SpentIds } from "../../../../src/lane/state/spent-ids.ts";
import type { Observed, StoreAdapter, TableCounter } from "../../../../src/model/stores/store-adapter.ts";

const schema = (counter: Partial<TableCounter> = {}) =>
  new Map([
    ["db", [{ name: "items", columns: ["id", "name"], counters: [{ name: "items", column: "id", shows: "last" as const, ...counter }] }]],
  ]);

const world = (canLeaveCounters: boolean) => ({
  systems: { db: { traits: { portable: true, commits: true, canLeaveCounters } } as unknown as StoreAdapter },
});

type Ids = readonly (number | bigint)[];

function state(counter: number | bigint | null | undefined, added: Ids = [], removed: Ids = []): Record<string, Observed> {
  const rows = (ids: Ids) => ids.map((id) => [id, "tea"]);
  const columns = [{ name: "id", key: true }, { name: "name" }];
  const tables = added.length + removed.length === 0 ? [] : [{ name: "items", columns, added: rows(added), removed: rows(removed) }];
  return { db: { kind: "rows", tables, counters: counter === undefined ? {} : { items: counter } } };
}

const found = (spent: SpentIds, systems: Record<string, Observed>, root?: number | bigint) =>
  spent.in(systems, { db: root === undefined ? {} : { items: root } });

describe("spent ids", () => {
  const last = new SpentIds(world(true), schema(), []);
  const next = new SpentIds(world(true), schema({ shows: "next" }), []);
  const spent = ["db.items"];

  test("are four numbers of a counter that are in no row", () => {
    expect(found(last, state(4))).toEqual(spent);
    expect(found(last, state(3))).toEqual([]);
    expect(found(last, state(6, [5, 6n]))).toEqual(spent);
    expect(found(last, state(6, [4, 5, 6]))).toEqual([]);
  });

  test("count from the value in the root state, whose rows do not count, also if they were changed", () => {
    expect(found(last, state(10, [4]), 7)).toEqual([]);
    expect(found(last, state(11, [4]), 7n)).toEqual(spent);
    expect(found(last, state(11, [4], [4]), 7)).toEqual(spent);
    expect(found(last, state(12, [4, 8], [4]), 7)).toEqual(spent);
    expect(found(last, state(11, [8]), 7)).toEqual([]);
  });

  test("of a counter that shows its next number", () => {
    expect(found(next, state(5))).toEqual(spent);
    expect(found(next, state(4))).toEqual([]);
    expect(found(next, state(5, [1]))).toEqual([]);
    expect(found(next, state(9n, [5]), 5)).toEqual([]);
    expect(found(next, state(10n, [5]), 5)).toEqual(spent);
  });

  test("are not found without a value, if the counter goes down, nor for columns whose ids are renamed", () => {
    expect(found(last, state(undefined))).toEqual([]);
    expect(found(last, state(null))).toEqual([]);
    expect(found(last, state(-9), 0)).toEqual([]);
    const renamed = { system: "db", table: "items", name: "items", column: "id", shows: "last" } as const;
    expect(found(new SpentIds(world(true), schema(), [renamed]), state(9))).toEqual([]);
  });

  test.each([
    ["a store that has to restore its counters", world(false), schema()],
    ["a counter with few numbers", world(true), schema({ isShort: true })],
  ])("are found, but cannot be left, for %s", (_why, systems, schemas) => {
    const restored = new SpentIds(systems, schemas, []);
    expect(restored.columns).toEqual([{ counter: "db.items", field: "items.id", canLeave: false }]);
    expect(found(restored, state(4))).toEqual(spent);
  });
});
