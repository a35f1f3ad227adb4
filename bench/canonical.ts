import type { ObservedTable } from "../src/model/stores/store-adapter.ts";
import { Canonicalizer, hashText, loadHasher, type Facts, type Fingerprint } from "../src/state/index.ts";
import type { Row } from "./support/row.ts";
import { tiny } from "./support/tiny.ts";

const CLOCK_MS = Date.UTC(2026, 0, 1);

/** Measures the canonical form and the fingerprint of differences from the root state, for several sizes, with and without ids to rename. */
export default async function canonical(): Promise<readonly Row[]> {
  await loadHasher();
  const canonicalizer = new Canonicalizer({
    clockMs: CLOCK_MS,
    literals: new Set(),
    ignore: [],
    symmetric: [],
    placeholders: [],
    masked: [],
  });
  canonicalizer.root({ systems: {}, context: {}, clients: {} });
  const out: Fingerprint = { lo: 0, hi: 0 };
  const fingerprint = (facts: Facts) => (): Fingerprint => {
    canonicalizer.fingerprint(facts, out);
    return out;
  };
  const value = { orders: [1, 2, 3].map(() => ({ status: "paid", amount: 100, refunded: 30, shipped: false })) };
  const text200 = "0123456789".repeat(20);
  const text2000 = text200.repeat(10);
  return tiny({
    "xxHash64 of 200 characters": () => hashText(text200, out),
    "xxHash64 of 2,000 characters": () => hashText(text2000, out),
    "value of 3 objects (ledger in memory)": fingerprint({ systems: { db: { kind: "value", value } }, context: {}, clients: {} }),
    "3 rows, integer keys": fingerprint(rows(1, 3, false)),
    "10 rows in 1 table, integer keys": fingerprint(rows(1, 10, false)),
    "10 rows in 1 table, UUIDs and times": fingerprint(rows(1, 10, true)),
    "50 rows in 5 tables, UUIDs and times": fingerprint(rows(5, 10, true)),
  });
}

/** Returns tables of orders. Each row has its own time and amount. From the second table on, each row also refers to a row of the table before. */
function rows(tables: number, each: number, opaque: boolean): Facts {
  const id = (table: number, row: number): string | number => (opaque ? uuid(table * each + row) : row + 1);
  const observed = Array.from({ length: tables }, (_, table): ObservedTable => {
    const references = table === 0 ? {} : { references: { table: `t${table - 1}`, column: "id" } };
    return {
      name: `t${table}`,
      columns: [{ name: "id", key: true }, { name: "parent", ...references }, { name: "status" }, { name: "amount" }, { name: "at" }],
      added: Array.from({ length: each }, (_, row) => [
        id(table, row),
        table === 0 ? null : id(table - 1, row),
        row % 2 === 0 ? "paid" : "created",
        100 + row,
        new Date(CLOCK_MS + row).toISOString(),
      ]),
      removed: [],
    };
  });
  return { systems: { db: { kind: "rows", tables: observed, counters: {} } }, context: {}, clients: {} };
}

/** Returns a version 4 UUID that depends only on the number. */
function uuid(number: number): string {
  const hex = Array.from({ length: 4 }, (_, word) =>
    (Math.imul(number * 4 + word + 1, 0x9e3779b1) >>> 0).toString(16).padStart(8, "0"),
  ).join("");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`;
}
