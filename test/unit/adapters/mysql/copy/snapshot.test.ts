import { describe, expect, test } from "vitest";
import { countersIn, type Snapshot } from "../../../../../src/adapters/mysql/copy/snapshot.ts";

const COUNTING = "create table t (`id` int NOT NULL AUTO_INCREMENT)";
const PLAIN = "create table t (`id` int NOT NULL)";

function snapshot(tables: Readonly<Record<string, { readonly create: string; readonly next?: string }>>): Snapshot {
  const all = Object.entries(tables);
  return {
    kind: "snapshot",
    objects: all.map(([name, { create }]) => ({ kind: "table", name, create, mode: "" })),
    tables: all.map(([name, { next }]) => ({ name, ...(next !== undefined && { next }), rows: [] })),
  };
}

const every = (): boolean => true;
const root = snapshot({ receipts: { create: COUNTING }, orders: { create: COUNTING, next: "7" }, names: { create: PLAIN } });

describe("the AUTO_INCREMENT values of a snapshot", () => {
  test("all of them, for the root state; SHOW CREATE TABLE leaves out 1", () =>
    expect(countersIn(root, undefined, every)).toEqual({ receipts: 1, orders: 7 }));

  test("a refused insert that used a number changes the state", () => {
    const now = snapshot({ receipts: { create: COUNTING, next: "2" }, orders: { create: COUNTING, next: "7" }, names: { create: PLAIN } });
    expect(countersIn(now, root, every)).toEqual({ receipts: 2 });
    expect(countersIn(now, root, (name) => name !== "receipts")).toEqual({});
    expect(countersIn(root, root, every)).toEqual({});
  });

  test("a table that was dropped or no longer counts, and a value that no number represents", () => {
    const now = snapshot({ orders: { create: PLAIN }, names: { create: COUNTING, next: "9007199254740993" } });
    expect(countersIn(now, root, every)).toEqual({ receipts: null, orders: null, names: 9007199254740993n });
  });
});
