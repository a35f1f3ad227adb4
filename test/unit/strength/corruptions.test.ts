import { describe, expect, it } from "vitest";
import { corruptions, RowWriter } from "../../../src/strength/corruptions.ts";
import type { ExploredTable } from "../../../src/suggest/index.ts";

const TABLE: ExploredTable = {
  store: "db",
  name: "orders",
  columns: ["id"],
  key: "id",
  rows: [],
  changes: [],
  unpaired: [],
  decimals: new Set(),
  guessed: new Set(),
  references: new Map(),
  numbers: [],
  words: new Map(),
  emptied: [],
  isOneOfSeveral: false,
};

/** The statement that doubles the first of the rows with these keys. */
function doubled(keys: readonly unknown[]): string | undefined {
  const rows = keys.map((id) => ({ id }));
  const way = corruptions(TABLE).find(({ kind }) => kind === "a row doubled")!;
  return way.of(rows[0]!, rows, new RowWriter(TABLE, { db: { name: "sqlite", query: () => [] } }))?.sql;
}

describe("a row that is doubled gets a key that no row has", () => {
  const uuid = (number: number): string => `018f6b2a-0000-7000-8000-${number.toString(16).padStart(12, "0")}`;
  const binary = (number: number): Uint8Array => Buffer.from(number.toString(16).padStart(8, "0"), "hex");
  const upTo = <T>(count: number, key: (number: number) => T): readonly T[] => Array.from({ length: count }, (_, number) => key(number));

  it.each([
    ["numbers", [1, 2, 5], "SELECT 6 FROM"],
    ["words", ["a", "a-2"], "SELECT 'a-2-2' FROM"],
    ["UUIDs in sequence", upTo(40, uuid), `SELECT '${uuid(40)}' FROM`],
    ["binary keys in sequence", upTo(300, binary), "SELECT x'0000012c' FROM"],
    ["the largest binary key", [Buffer.from("ffff", "hex")], "SELECT x'0000' FROM"],
  ])("%s", (_what, keys, part) => expect(doubled(keys)).toContain(part));

  it("and is left out if rows have all keys of the form", () => {
    expect(doubled(upTo(256, (number) => Buffer.from([number])))).toBeUndefined();
  });
});
