import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { MysqlAdapter } from "../../../src/adapters/mysql/index.ts";
import { PostgresAdapter } from "../../../src/adapters/postgres/index.ts";
import { SqliteAdapter } from "../../../src/adapters/sqlite/index.ts";
import type { Invariant } from "../../../src/model/declare/invariant.ts";
import { conserved, implies, neverAbove, neverNegative, references, sumWithin, unique, type Rule } from "../../../src/rules/index.ts";
import { onMysql, onPostgres, template } from "../../support/store-templates.ts";

type Kind = "sqlite" | "postgres" | "mysql";
type AnyInvariant = Invariant<never, never>;

const TABLES = [
  "CREATE TABLE users (id INTEGER PRIMARY KEY, email VARCHAR(100))",
  "CREATE TABLE stock (id INTEGER PRIMARY KEY, available INTEGER)",
  "CREATE TABLE payments (id INTEGER PRIMARY KEY, user_id INTEGER, amount DECIMAL(10, 2), rate DOUBLE PRECISION)",
  "CREATE TABLE refunds (id INTEGER PRIMARY KEY, payment_id INTEGER, amount DECIMAL(10, 2), rate DOUBLE PRECISION, status VARCHAR(10))",
  "INSERT INTO users VALUES (1, 'ann@x.org'), (2, 'bob@x.org'), (3, NULL), (4, NULL)",
  "INSERT INTO stock VALUES (1, 0), (2, 7), (3, NULL)",
  "INSERT INTO payments VALUES (1, 1, 10.00, 0.3), (2, 2, 5.50, 1), (3, NULL, 1, 1)",
  "INSERT INTO refunds VALUES (1, 1, 9.99, 0.1, 'done'), (2, 1, 0.01, 0.2, 'done'), (3, 2, 99, 9, 'failed')",
];

type Store = SqliteAdapter | PostgresAdapter | MysqlAdapter;

async function storeWith(
  kind: Kind,
  statements: readonly string[],
  atEnd: (close: () => Promise<void>) => void = onTestFinished,
): Promise<Store> {
  // MySQL reads a backslash in a text as the beginning of another character.
  const special = kind === "mysql" ? "a''b\\\\c" : "a''b\\c";
  const all = [...TABLES, ...statements].map((sql) => sql.replace("SPECIAL", special));
  let adapter;
  if (kind === "sqlite") {
    const file = join(mkdtempSync(join(tmpdir(), "seqqa-rows-")), "db");
    const db = new Database(file);
    for (const one of all) db.exec(one);
    db.close();
    adapter = new SqliteAdapter({ file });
  } else {
    const url = await template(kind);
    await (kind === "postgres" ? onPostgres(url, all.join("; ")) : onMysql(`${url}?multipleStatements=true`, all.join("; ")));
    adapter = kind === "postgres" ? new PostgresAdapter({ url }) : new MysqlAdapter({ url });
  }
  await adapter.open({ name: "db", laneIndex: 0, inProcess: false, borrowed: false });
  atEnd(async () => adapter.close());
  return adapter;
}

async function judged(rule: AnyInvariant, store: object): Promise<unknown> {
  return rule.check({ systems: { db: store } } as never);
}

/** Judges a step between the states of two stores. */
async function judgedStep(rule: Rule, before: object, after: object): Promise<unknown> {
  const systems: { db: object } = { db: after };
  const step = { changed: true, canGoBack: true, action: { name: "move" }, answers: [] };
  const asked = (await rule.judge!({ systems } as never, step as never)) as { earlier: () => Promise<unknown> };
  const { query } = before as { query: (sql: string) => unknown };
  (after as { query: unknown }).query = (sql: string) => query.call(before, sql);
  return asked.earlier().finally(() => delete (after as { query?: unknown }).query);
}

const sums = { parts: "refunds.amount", whole: "payments.amount", by: "payment_id", where: "status <> 'failed'" };
const rules: readonly (readonly [string, AnyInvariant, string, unknown])[] = [
  ["neverNegative", neverNegative("stock.available"), "INSERT INTO stock VALUES (9, -1)", [-1]],
  ["unique", unique("users.email"), "INSERT INTO users VALUES (9, 'ann@x.org')", ["ann@x.org", "ann@x.org"]],
  [
    "neverAbove",
    neverAbove("payments.rate", "payments.amount"),
    "UPDATE payments SET rate = 6 WHERE id = 2",
    [expect.objectContaining({})],
  ],
  [
    "implies a value",
    implies("refunds", { status: "failed" }, { amount: { not: 0 } }),
    "UPDATE refunds SET amount = 0 WHERE id = 3",
    [expect.objectContaining({ id: 3 })],
  ],
  [
    "implies NULL",
    implies("payments", { user_id: { not: null } }, { rate: { not: null } }),
    "UPDATE payments SET rate = NULL WHERE id = 1",
    [expect.objectContaining({ id: 1 })],
  ],
  [
    "implies one of several, and a text with quotes and backslashes",
    implies("refunds", { status: ["done", "a'b\\c"] }, { payment_id: [1, 2] }),
    "INSERT INTO refunds VALUES (9, 3, 1, 1, 'SPECIAL')",
    [expect.objectContaining({ id: 9 })],
  ],
  [
    "unique without case",
    unique("users.email", { ignoreCase: true }),
    "INSERT INTO users VALUES (9, 'ANN@x.org')",
    expect.arrayContaining(["ann@x.org", "ANN@x.org"]),
  ],
  [
    "unique over columns",
    unique(["refunds.payment_id", "refunds.status"]),
    "UPDATE refunds SET status = 'failed' WHERE id < 3",
    expect.arrayContaining(["1, failed"]),
  ],
  ["references", references("payments.user_id", "users.id"), "DELETE FROM users WHERE id = 2", [2]],
  ["sumWithin", sumWithin(sums), "UPDATE refunds SET amount = 0.02 WHERE id = 2", [expect.objectContaining({ id: 1 })]],
  [
    "sumWithin over floating-point numbers",
    sumWithin({ ...sums, parts: "refunds.rate", whole: "payments.rate" }),
    "UPDATE refunds SET rate = 0.21 WHERE id = 2",
    [expect.objectContaining({ id: 1 })],
  ],
];

describe.each<Kind>(["sqlite", "postgres", "mysql"])("rules over rows of %s", (kind) => {
  let shared: Promise<Store> | undefined;
  /** No test changes its rows. */
  const correctStore = (): Promise<Store> => (shared ??= storeWith(kind, [], () => undefined));
  afterAll(async () => (await shared)?.close());

  it.each(rules)("%s holds on correct rows, and names those that break it", async (name, rule, defect, actual) => {
    // "unique over columns" has a correct state of its own.
    const correct = "UPDATE refunds SET status = 'open' WHERE id = 2";
    expect(await judged(rule, await (name === "unique over columns" ? storeWith(kind, [correct]) : correctStore()))).toBe(true);
    expect(await judged(rule, await storeWith(kind, [defect]))).toMatchObject({ ok: false, actual });
  });

  it("say which table or column does not exist", async () => {
    const store = await correctStore();
    await expect(judged(neverNegative("stok.available"), store)).rejects.toThrow(
      'neverNegative("stok.available"): there is no table "stok".',
    );
    await expect(judged(references("payments.usr_id", "users.id"), store)).rejects.toMatchObject({
      message: expect.stringContaining('there is no column "payments.usr_id"') as string,
      hint: 'Did you mean "user_id"?',
    });
  });

  it("quote names, so that words of SQL can be names", async () => {
    const quote = kind === "mysql" ? "`" : '"';
    const name = (text: string): string => `${quote}${text}${quote}`;
    const store = await storeWith(kind, [
      `CREATE TABLE ${name("order")} (id INTEGER PRIMARY KEY, ${name("select")} INTEGER)`,
      `INSERT INTO ${name("order")} VALUES (1, -5)`,
    ]);
    expect(await judged(neverNegative("order.select"), store)).toMatchObject({ ok: false, actual: [-5] });
  });

  it("compare amounts that are unsigned, or beyond 2^53", async () => {
    const type = kind === "mysql" ? "BIGINT UNSIGNED" : "BIGINT";
    const most = "9007199254740993";
    const tables = [
      `CREATE TABLE shows (id INTEGER PRIMARY KEY, sold ${type}, seats ${type})`,
      `CREATE TABLE bookings (id INTEGER PRIMARY KEY, show_id INTEGER, seats ${type})`,
      `INSERT INTO shows VALUES (1, 2, 9), (2, ${most}, ${most}), (3, NULL, 1)`,
      `INSERT INTO bookings VALUES (1, 1, 1), (2, 1, 1), (3, 2, ${most})`,
    ];
    const above = neverAbove("shows.sold", "shows.seats");
    const within = sumWithin({ parts: "bookings.seats", whole: "shows.seats", by: "show_id" });
    const store = await storeWith(kind, tables);
    expect([await judged(above, store), await judged(within, store)]).toEqual([true, true]);
    const wrong = await storeWith(kind, [...tables, "UPDATE shows SET sold = seats + 1", "INSERT INTO bookings VALUES (4, 2, 1)"]);
    expect(await judged(above, wrong)).toMatchObject({ ok: false, message: "shows.sold is above shows.seats in 3 rows" });
    expect(await judged(within, wrong)).toMatchObject({ ok: false, actual: [expect.objectContaining({ id: 2 })] });
  });

  it.each<[type: string, more: string, less: string]>(
    kind === "sqlite"
      ? [["INTEGER", "9007199254740993", "9007199254740992"]]
      : [
          ["DECIMAL(18, 8)", "0.30000001", "0.3"],
          ["DECIMAL(38, 0)", "1000000000000000000000000000001", "1000000000000000000000000000000"],
          ["BIGINT", "9007199254740993", "9007199254740992"],
          ...(kind === "postgres" ? [["MONEY", "1234567.51", "1234567.50"] as [string, string, string]] : []),
        ],
  )("compare amounts of the type %s exactly", async (type, more, less) => {
    const tables = [
      `CREATE TABLE wallets (id INTEGER PRIMARY KEY, held ${type}, most ${type})`,
      `CREATE TABLE moves (id INTEGER PRIMARY KEY, wallet_id INTEGER, amount ${type})`,
      `INSERT INTO wallets VALUES (1, ${more}, ${more}), (2, 0, 5)`,
      `INSERT INTO moves VALUES (1, 1, ${more}), (2, 1, 0), (3, 2, 5)`,
    ];
    const above = neverAbove("wallets.held", "wallets.most");
    const within = sumWithin({ parts: "moves.amount", whole: "wallets.most", by: "wallet_id" });
    const store = await storeWith(kind, tables);
    expect([await judged(above, store), await judged(within, store)]).toEqual([true, true]);
    const wrong = await storeWith(kind, [...tables, `UPDATE wallets SET most = ${less} WHERE id = 1`]);
    expect(await judged(above, wrong)).toMatchObject({ ok: false, message: "wallets.held is above wallets.most in 1 row" });
    expect(await judged(within, wrong)).toMatchObject({ ok: false, actual: [expect.objectContaining({ id: 1 })] });
    const total = conserved<never, never>(["wallets.held", "wallets.most"], { rows: { "moves.wallet_id": ["2"] } });
    expect(await judgedStep(total, store, store)).toBe(true);
    expect(await judgedStep(total, store, wrong)).toMatchObject({ ok: false });
    const moved = await storeWith(kind, [
      ...tables,
      `UPDATE wallets SET held = ${less}`,
      `UPDATE wallets SET held = ${more} - ${less} WHERE id = 2`,
    ]);
    expect(await judgedStep(total, store, moved)).toBe(true);
  });

  it("tolerate rounding errors of floating-point columns, also if many rows have them", async () => {
    const type = kind === "sqlite" ? "REAL" : "DOUBLE PRECISION";
    const rows = Array.from({ length: 30 }, (_, id) => `(${id}, 0.1 + 0.2, 0.3)`).join(", ");
    const tables = [`CREATE TABLE wallets (id INTEGER PRIMARY KEY, held ${type}, most ${type})`];
    // In DECIMAL, 0.1 + 0.2 is exact.
    const sum =
      kind === "sqlite"
        ? rows
        : rows.replaceAll("0.1 + 0.2", "0.1e0 + 0.2e0").replaceAll("0.1e0", kind === "postgres" ? "0.1::float8" : "0.1e0");
    const store = await storeWith(kind, [...tables, `INSERT INTO wallets VALUES ${sum}`]);
    const above = neverAbove("wallets.held", "wallets.most");
    expect(await judged(above, store)).toBe(true);
    expect(
      await judgedStep(
        conserved<never, never>("wallets.held"),
        store,
        await storeWith(kind, [...tables, "INSERT INTO wallets VALUES (1, 9, 9)"]),
      ),
    ).toBe(true);
    const wrong = await storeWith(kind, [...tables, `INSERT INTO wallets VALUES ${sum}`, "UPDATE wallets SET held = 0.31 WHERE id = 29"]);
    expect(await judged(above, wrong)).toMatchObject({ ok: false, message: "wallets.held is above wallets.most in 1 row" });
  });

  it("compare keys whose column types differ", async () => {
    const id = { sqlite: "TEXT", postgres: "UUID", mysql: "CHAR(36)" }[kind];
    const first = "3f0c8a52-6a0e-4d3b-9a53-0d1c2b7e4f10";
    const tables = [
      `CREATE TABLE tasks (id ${id} PRIMARY KEY, points INTEGER)`,
      "CREATE TABLE points (id INTEGER PRIMARY KEY, task_id VARCHAR(60), amount INTEGER)",
      `INSERT INTO tasks VALUES ('${first}', 10)`,
      `INSERT INTO points VALUES (1, '${first}', 10)`,
    ];
    const refers = references("points.task_id", "tasks.id");
    const within = sumWithin({ parts: "points.amount", whole: "tasks.points", by: "task_id" });
    const store = await storeWith(kind, tables);
    expect([await judged(refers, store), await judged(within, store)]).toEqual([true, true]);
    const wrong = await storeWith(kind, [
      ...tables,
      "INSERT INTO points VALUES (2, 'gone', 1)",
      "UPDATE points SET amount = 11 WHERE id = 1",
    ]);
    expect(await judged(refers, wrong)).toMatchObject({ ok: false, actual: ["gone"] });
    expect(await judged(within, wrong)).toMatchObject({
      ok: false,
      actual: [expect.objectContaining({ sum: expect.anything() as unknown })],
    });
  });
});
