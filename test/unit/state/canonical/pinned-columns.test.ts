import { beforeAll, expect, test } from "vitest";
import { loadHasher, type Facts } from "../../../../src/state/index.ts";
import { canonicalizer, print, stored, table } from "../support.ts";

beforeAll(loadHasher);

const paid = (order: number, column: string, refers: number | string): Facts =>
  stored(table("orders", "*id item", [[order, "tea"]]), table("payments", `*id ${column}`, [[1, refers]]));

test.each([
  ["order_id", "orders.id"],
  ["orderId", "orders.id"],
  ["first_order_id", "db.orders.id"],
])("an id in the column %s is not renamed, although the column has no foreign key", (column, field) => {
  const one = canonicalizer({ symmetric: [field] });
  expect(print(one, paid(1, column, 1))).not.toBe(print(one, paid(2, column, 1)));
  expect(print(one, paid(1, column, "1"))).not.toBe(print(one, paid(2, column, "1")));
  expect(print(one, paid(2, column, 1))).toBe(print(one, paid(3, column, 1)));
});

test("an id that no such column holds is renamed", () => {
  const one = canonicalizer({ symmetric: ["orders.id"] });
  expect(print(one, paid(1, "total", 1))).toBe(print(one, paid(2, "total", 1)));
  expect(print(one, paid(1, "order_id>orders.id", 1))).toBe(print(one, paid(2, "order_id>orders.id", 2)));
});

test("a number in a key that is named after the table is still a key", () => {
  const one = canonicalizer({ symmetric: ["orders.id"] });
  const of = (id: number, refers: number): Facts =>
    stored(table("orders", "*id", [[id]]), table("invoices", "*order_id total", [[refers, 5]]));
  expect(print(one, of(1, 1))).not.toBe(print(one, of(2, 1)));
});
