import { expect, test } from "vitest";
import { MemoryAdapter } from "../../../../src/adapters/memory/index.ts";
import { leftOutParts } from "../../../../src/lane/bring-up/identify.ts";
import { NOTHING_KNOWN } from "../../../../src/state/index.ts";

test("the order of rows is left out of states for tables that have one, except ignored tables and those with a generated key", () => {
  const table = (name: string, readOrder?: { readonly key: string | undefined }) => ({
    name,
    columns: ["id"],
    ...(readOrder && { readOrder }),
  });
  const tables = [table("plain"), table("orders", { key: "id" }), table("waiting", { key: "email" }), table("pairs", { key: undefined })];
  const generated = [{ place: JSON.stringify(["tables", "db", "orders", "id"]), after: "", domain: undefined }];
  const parts = leftOutParts({
    counters: [{ system: "db", table: "bills", name: "bills_id_seq", column: "id", shows: "last" }],
    schemas: new Map([["db", [...tables, table("seen", { key: "id" })]]]),
    ignored: { fields: [], tables: new Map([["db", new Set(["seen"])]]), paths: [] },
    options: { knowledge: { ...NOTHING_KNOWN, generated } } as never,
    world: { systems: { memory: new MemoryAdapter({ state: {} }), clock: undefined } } as never,
  });
  expect(parts).toEqual([
    { field: "bills.id", entry: "#db.bills_id_seq" },
    { field: "rows of waiting", entry: "rows db.waiting" },
    { field: "rows of pairs", entry: "rows db.pairs" },
    { field: "entries of memory", entry: "entries memory" },
  ]);
});
