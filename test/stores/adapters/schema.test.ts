import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, it, onTestFinished } from "vitest";
import { MysqlAdapter } from "../../../src/adapters/mysql/index.ts";
import { PostgresAdapter } from "../../../src/adapters/postgres/index.ts";
import { SqliteAdapter } from "../../../src/adapters/sqlite/index.ts";
import { WorldStores } from "../../../src/lane/state/world-stores.ts";
import type { Observed } from "../../../src/model/stores/store-adapter.ts";
import { onMysql, onPostgres, template } from "../../support/store-templates.ts";

const TABLES = [
  "CREATE TABLE users (id INTEGER PRIMARY KEY, region INTEGER, UNIQUE (id, region))",
  "CREATE TABLE orders (id INTEGER PRIMARY KEY, user_id INTEGER REFERENCES users (id), buyer INTEGER, region INTEGER, total DECIMAL(9, 0), price DECIMAL(9, 2), FOREIGN KEY (buyer, region) REFERENCES users (id, region))",
  "INSERT INTO users VALUES (1, 1)",
  "INSERT INTO orders VALUES (1, 1, 1, 1, 12, 1.5)",
];

const adapters = {
  sqlite: () => {
    const file = join(mkdtempSync(join(tmpdir(), "seqqa-schema-")), "db");
    new Database(file).exec(TABLES.join("; ")).close();
    return Promise.resolve(new SqliteAdapter({ file }));
  },
  postgres: async () => {
    const url = await template("postgres");
    for (const sql of TABLES) await onPostgres(url, sql);
    return new PostgresAdapter({ url });
  },
  mysql: async () => {
    const url = await template("mysql");
    for (const sql of TABLES) await onMysql(url, sql);
    return new MysqlAdapter({ url });
  },
};

it.each(["sqlite", "postgres", "mysql"] as const)(
  "%s says which columns refer to other tables, and shows whole decimals as numbers",
  async (kind) => {
    const adapter = await adapters[kind]();
    await adapter.open({ name: "db", laneIndex: 0, inProcess: false, borrowed: false });
    onTestFinished(async () => adapter.close());
    expect(await adapter.schema()).toEqual([
      {
        name: "orders",
        columns: ["id", "user_id", "buyer", "region", "total", "price"],
        references: [{ column: "user_id", to: { table: "users", column: "id" }, isChecked: kind !== "sqlite" }],
      },
      { name: "users", columns: ["id", "region"] },
    ]);
    const price = kind === "sqlite" ? 1.5 : "1.50";
    expect(await adapter.root()).toMatchObject({ tables: [{ name: "orders", added: [[1, 1, 1, 1, 12, price]] }, { name: "users" }] });
  },
);

it("PostgreSQL: a sequence belongs to the tables that use it, not to a table with the beginning of its name", async () => {
  const url = await template("postgres");
  await onPostgres(
    url,
    `CREATE TABLE "order" (id serial PRIMARY KEY); CREATE TABLE order_items (id serial PRIMARY KEY);
     CREATE SEQUENCE numbers; ALTER TABLE "order" ADD no bigint DEFAULT nextval('numbers');
     CREATE SEQUENCE audits; CREATE TABLE audit (id bigint DEFAULT nextval('audits')) PARTITION BY LIST (id); CREATE TABLE audit_all PARTITION OF audit DEFAULT`,
  );
  const adapter = new PostgresAdapter({ url });
  await adapter.open({ name: "db", laneIndex: 0, inProcess: false, borrowed: false });
  onTestFinished(async () => adapter.close());
  const schema = await adapter.schema();
  expect(schema.map(({ name, usesCounters }) => [name, usesCounters])).toEqual([
    ["audit", ["audits"]],
    ["order", ["numbers", "order_id_seq"]],
    ["order_items", ["order_items_id_seq"]],
  ]);
  const stores = new WorldStores({ db: adapter });
  stores.leaveOut(new Map([["db", new Set(["order"])]]), new Map([["db", schema]]));
  await stores.root({});
  await onPostgres(url, 'INSERT INTO "order" DEFAULT VALUES; INSERT INTO order_items DEFAULT VALUES; INSERT INTO audit DEFAULT VALUES');
  const seen: Record<string, Observed> = {};
  await stores.observe(seen, false);
  expect(seen["db"]).toMatchObject({
    tables: [{ name: "audit" }, { name: "order_items" }],
    counters: { audits: 2, order_items_id_seq: 2 },
  });
  expect(Object.keys((seen["db"] as Extract<Observed, { kind: "rows" }>).counters)).toHaveLength(2);
});
