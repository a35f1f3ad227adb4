import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { conserved, immutable, transitions, type Rule } from "../../../src/rules/index.ts";

/** Judges a step between two worlds, each made by statements of SQL. */
async function judged(rule: Rule, before: string, after: string): Promise<unknown> {
  const open = (sql: string): Database.Database => new Database(":memory:").exec(`${TABLES}${sql}`);
  let db = open(after);
  const store = { name: "sqlite", query: (sql: string) => db.prepare(sql).all() };
  const step = { changed: true, canGoBack: true, action: { name: "move" }, answers: [] };
  const asked = (await rule.judge!({ systems: { db: store } } as never, step as never)) as { earlier: () => Promise<unknown> };
  db = open(before);
  return asked.earlier();
}

const TABLES = `
CREATE TABLE orders (id INTEGER PRIMARY KEY, amount REAL, user_id INTEGER, status TEXT);
CREATE TABLE stock (item TEXT PRIMARY KEY, available INTEGER);
`;
const ONE = "INSERT INTO orders VALUES (1, 0.3, NULL, 'created'); INSERT INTO stock VALUES ('lamp', 2);";

describe("immutable", () => {
  const rule = immutable<never, never>(["orders.amount", "orders.user_id"]);
  it("holds where other columns change, and rows come and go", async () => {
    expect(await judged(rule, ONE, `${ONE} UPDATE orders SET status = 'paid'; INSERT INTO orders VALUES (2, 7, 7, 'created')`)).toBe(true);
    expect(await judged(rule, ONE, "")).toBe(true);
  });

  it("names what was changed, NULL included", async () => {
    expect(await judged(rule, ONE, `${ONE} UPDATE orders SET amount = 0.4`)).toMatchObject({
      ok: false,
      actual: [{ id: "1", column: "amount", from: "0.3", to: "0.4" }],
      message: "move changed orders.amount of a row from 0.3 to 0.4",
    });
    expect(await judged(rule, ONE, `${ONE} UPDATE orders SET user_id = 3`)).toMatchObject({
      message: expect.stringContaining("from null to 3") as string,
    });
  });

  it("knows rows by another key", async () => {
    const stock = immutable<never, never>("stock.available", { key: "item" });
    expect(await judged(stock, ONE, `${ONE} UPDATE stock SET available = 1`)).toMatchObject({ ok: false, actual: [{ item: "lamp" }] });
  });

  it("is refused for columns of several tables", () => {
    expect(() => immutable<never, never>(["orders.amount", "stock.available"])).toThrow(
      'immutable(["orders.amount","stock.available"]): the list of columns is empty, or the columns belong to several tables.',
    );
  });
});

it("columns and keys may be written in another case than they were declared in", async () => {
  const paid = `${ONE} UPDATE orders SET status = 'paid'`;
  const by = { key: "ID" };
  expect(await judged(immutable<never, never>("Orders.Status", by), ONE, paid)).toMatchObject({
    actual: [{ ID: "1", column: "Status", from: "created", to: "paid" }],
  });
  const rule = transitions<never, never>("Orders.STATUS", { created: ["cancelled"] }, by);
  expect(await judged(rule, ONE, paid)).toMatchObject({ ok: false, actual: [{ ID: "1", from: "created", to: "paid" }] });
  expect(await judged(rule, ONE, `${ONE} UPDATE orders SET status = 'cancelled'`)).toBe(true);
});

describe("conserved", () => {
  it("is the sum of columns, however floating-point numbers are added", async () => {
    const rule = conserved<never, never>("orders.amount");
    expect(await judged(rule, ONE, "INSERT INTO orders VALUES (1, 0.1, 1, 'created'), (2, 0.2, 1, 'paid')")).toBe(true);
    expect(await judged(rule, ONE, "INSERT INTO orders VALUES (1, 0.1, 1, 'created')")).toMatchObject({
      ok: false,
      actual: 0.1,
      expected: 0.3,
      message: "move changed the total of orders.amount from 0.3 to 0.1",
    });
  });

  it("counts the rows that it is given as one each", async () => {
    const rule = conserved<never, never>("stock.available", { rows: { "orders.status": ["created", "it's"] } });
    const taken = `${ONE} UPDATE stock SET available = 1; INSERT INTO orders VALUES (2, 1, 1, 'it''s')`;
    expect(await judged(rule, ONE, taken)).toBe(true);
    expect(await judged(rule, ONE, `${taken}; UPDATE orders SET status = 'cancelled'`)).toMatchObject({
      ok: false,
      actual: 1,
      expected: 3,
    });
  });

  it("needs a column", () => {
    expect(() => conserved<never, never>([])).toThrow("conserved([]): the list of columns is empty.");
  });
});

it("a step that changed nothing, or that cannot be undone, is not judged", async () => {
  for (const step of [
    { changed: false, canGoBack: true },
    { changed: true, canGoBack: false },
  ]) {
    expect(await immutable<never, never>("orders.amount").judge!({ systems: {} } as never, step as never)).toBe(true);
  }
});
