import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { schemaOf } from "../../../src/adapters/sqlite/connect/schema-text.ts";
import { conserved, immutable, sumWithin, transitions, type Rule } from "../../../src/rules/index.ts";

/** Judges a step between two worlds, each made by statements of SQL. */
async function judged(rule: Rule, before: string, after: string): Promise<unknown> {
  const open = (sql: string): Database.Database => new Database(":memory:").exec(`${TABLES}${sql}`);
  let db = open(after);
  const store = { name: "sqlite", query: (sql: string) => db.prepare(sql).all(), schema: () => schemaOf(db) };
  const step = { changed: true, canGoBack: true, action: { name: "move" }, answers: [] };
  const asked = (await rule.judge!({ systems: { db: store } } as never, step as never)) as { earlier: () => Promise<unknown> };
  db = open(before);
  return asked.earlier();
}

const TABLES = `
CREATE TABLE orders (id INTEGER PRIMARY KEY, amount REAL, user_id INTEGER, status TEXT);
CREATE TABLE stock (item TEXT PRIMARY KEY, available INTEGER);
CREATE TABLE lines (order_id TEXT, line, state TEXT);
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

describe("keys of rows", () => {
  const LINES = "INSERT INTO lines VALUES ('A', 1, 'shipped'), ('B', 1, 'open');";
  const reopened = `${LINES} UPDATE lines SET state = 'open' WHERE order_id = 'A'`;
  const shipped = { open: ["shipped"] };
  const key = ["order_id", "line"];

  it("several columns identify a row together", async () => {
    const rule = transitions<never, never>("lines.state", shipped, { key });
    expect(await judged(rule, LINES, reopened)).toMatchObject({
      ok: false,
      actual: [{ order_id: "A", line: "1", from: "shipped", to: "open" }],
    });
    expect(await judged(rule, LINES, "INSERT INTO lines VALUES ('A', 1, 'shipped')")).toBe(true);
    expect(await judged(immutable<never, never>("lines.state", { key }), LINES, reopened)).toMatchObject({
      actual: [{ order_id: "A", line: "1", column: "state", from: "shipped", to: "open" }],
    });
  });

  it("two rows with the same key are an error", async () => {
    const told = /: two rows of lines have the same key \(line\)\.$/;
    await expect(judged(transitions<never, never>("lines.state", shipped, { key: "line" }), LINES, reopened)).rejects.toThrow(told);
    await expect(judged(immutable<never, never>("lines.state", { key: "line" }), LINES, reopened)).rejects.toMatchObject({
      code: "RULE_INVALID",
      message: expect.stringMatching(told) as string,
      hint: expect.stringContaining('{ key: ["order_id", "line"] }') as string,
    });
    // The state before the step is checked, too.
    await expect(judged(transitions<never, never>("lines.state", shipped, { key: "line" }), LINES, "")).rejects.toThrow(told);
    const nulls = "INSERT INTO lines VALUES ('A', NULL, 'open'), ('B', NULL, 'open')";
    await expect(judged(transitions<never, never>("lines.state", shipped, { key: "line" }), nulls, nulls)).rejects.toThrow(told);
  });

  it("values of different types, NULL and bytes are different keys", async () => {
    const values =
      "INSERT INTO lines VALUES ('a', 1, 'open'), ('b', '1', 'open'), ('c', NULL, 'open'), ('d', 'null', 'open'), ('e', x'fe', 'open'), ('f', x'ff', 'open')";
    const rule = transitions<never, never>("lines.state", shipped, { key: "line" });
    expect(await judged(rule, values, `${values}; UPDATE lines SET state = 'shipped'`)).toBe(true);
  });

  it("the error about a table without `id` names the option", async () => {
    const hint = /^Existing names: order_id, line, state\. Name the columns that identify a row .* key: /;
    await expect(judged(transitions<never, never>("lines.state", shipped), LINES, LINES)).rejects.toMatchObject({
      message: 'transitions("lines.state"): there is no column "lines.id".',
      hint: expect.stringMatching(hint) as string,
    });
    await expect(judged(immutable<never, never>("lines.state"), LINES, LINES)).rejects.toMatchObject({
      hint: expect.stringMatching(hint) as string,
    });
    const db = new Database(":memory:").exec(TABLES);
    const store = { name: "sqlite", query: (sql: string) => db.prepare(sql).all(), schema: () => schemaOf(db) };
    const within = sumWithin<never, never>({ parts: "orders.amount", whole: "stock.available", by: "user_id" });
    await expect(within.check({ systems: { db: store } } as never)).rejects.toMatchObject({
      message: expect.stringContaining('there is no column "stock.id"') as string,
      hint: "Existing names: item, available. The option `key` names the column that `by` refers to.",
    });
  });

  it("a key that is no name is refused", () => {
    expect(() => transitions<never, never>("lines.state", shipped, { key: [1] as never })).toThrow("`key` must be the name of a column");
    expect(() => immutable<never, never>("lines.state", { key: {} as never })).toThrow("`key` must be the name of a column");
  });
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
