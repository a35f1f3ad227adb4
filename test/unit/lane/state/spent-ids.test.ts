import { describe, expect, test } from "vitest";
import { SpentIds } from "../../../../src/lane/state/spent-ids.ts";
import { spentIn } from "../../../../src/messages/lane-messages.ts";
import type { Observed, StoreAdapter, TableCounter } from "../../../../src/model/stores/store-adapter.ts";

const schema = (shows: TableCounter["shows"]) =>
  new Map([["db", [{ name: "items", columns: ["id", "name"], counters: [{ name: "items", column: "id", shows }] }]]]);

const world = (keepsCounters: boolean) => ({
  systems: { db: { traits: { portable: true, commits: true, keepsCounters } } as unknown as StoreAdapter },
});

function state(counter: number | bigint | null | undefined, ...ids: readonly (number | bigint)[]): Record<string, Observed> {
  const tables = [
    { name: "items", columns: [{ name: "id", key: true }, { name: "name" }], added: ids.map((id) => [id, "tea"]), removed: [] },
  ];
  return { db: { kind: "rows", tables: ids.length === 0 ? [] : tables, counters: counter === undefined ? {} : { items: counter } } };
}

const found = (spent: SpentIds, systems: Record<string, Observed>, root?: number) =>
  spent.in(systems, { db: root === undefined ? {} : { items: root } }).map(spentIn);

describe("spent ids", () => {
  const last = new SpentIds(world(true), schema("last"), []);
  const next = new SpentIds(world(true), schema("next"), []);

  test("are three numbers of a counter that are in no row", () => {
    expect(found(last, state(3))).toEqual([{ field: "items.id", keepable: ["db.items"] }]);
    expect(found(last, state(2))).toEqual([]);
    expect(found(last, state(5, 4, 5n))).toHaveLength(1);
    expect(found(last, state(5, 3, 4, 5))).toEqual([]);
  });

  test("count from the value in the root state, whose rows do not count", () => {
    expect(found(last, state(9, 4), 7)).toEqual([]);
    expect(found(last, state(10, 4), 7)).toHaveLength(1);
    expect(found(last, state(11, 4, 8), 7)).toHaveLength(1);
    expect(found(last, state(10, 8), 7)).toEqual([]);
  });

  test("of a counter that shows its next number", () => {
    expect(found(next, state(4))).toHaveLength(1);
    expect(found(next, state(3))).toEqual([]);
    expect(found(next, state(4, 1))).toEqual([]);
    expect(found(next, state(8n, 5), 5)).toEqual([]);
    expect(found(next, state(9n, 5), 5)).toHaveLength(1);
  });

  test("are not found without a value, nor for columns whose ids are renamed", () => {
    expect(found(last, state(undefined))).toEqual([]);
    expect(found(last, state(null))).toEqual([]);
    const renamed = { system: "db", table: "items", name: "items", column: "id", shows: "last" } as const;
    expect(found(new SpentIds(world(true), schema("last"), [renamed]), state(9))).toEqual([]);
  });

  test("name no counters that the store would have to restore", () => {
    expect(found(new SpentIds(world(false), schema("last"), []), state(3))).toEqual([{ field: "items.id", keepable: [] }]);
  });
});
