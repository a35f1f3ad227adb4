import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, it, onTestFinished } from "vitest";
import { MysqlAdapter } from "../../../src/adapters/mysql/index.ts";
import { PostgresAdapter } from "../../../src/adapters/postgres/index.ts";
import { SqliteAdapter } from "../../../src/adapters/sqlite/index.ts";
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
