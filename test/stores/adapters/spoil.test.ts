import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, it, onTestFinished } from "vitest";
import { MysqlAdapter } from "../../../src/adapters/mysql/index.ts";
import { PostgresAdapter } from "../../../src/adapters/postgres/index.ts";
import { SqliteAdapter } from "../../../src/adapters/sqlite/index.ts";
import { onMysql, onPostgres, template } from "../../support/store-templates.ts";

const TABLE = "CREATE TABLE orders (id INTEGER PRIMARY KEY, status VARCHAR(20) UNIQUE)";
const ROWS = "INSERT INTO orders VALUES (1, 'new'), (2, 'paid')";

const adapters = {
  sqlite: () => {
    const file = join(mkdtempSync(join(tmpdir(), "seqqa-spoil-")), "db");
    new Database(file).exec(`${TABLE}; ${ROWS}`).close();
    return Promise.resolve(new SqliteAdapter({ file, checkpoint: "journal" }));
  },
  postgres: async () => {
    const url = await template("postgres");
    for (const sql of [TABLE, ROWS]) await onPostgres(url, sql);
    return new PostgresAdapter({ url });
  },
  mysql: async () => {
    const url = await template("mysql");
    for (const sql of [TABLE, ROWS]) await onMysql(url, sql);
    return new MysqlAdapter({ url });
  },
};

it.each(["sqlite", "postgres", "mysql"] as const)(
  "a row of %s that was made wrong is part of the state, and undone with it",
  async (kind) => {
    const adapter = await adapters[kind]();
    await adapter.open({ name: "db", laneIndex: 0, inProcess: false, borrowed: false });
    onTestFinished(async () => adapter.close());
    await adapter.root();
    const before = await adapter.dump();
    for (const sql of [
      "UPDATE orders SET status = 'gone' WHERE id = 1",
      "DELETE FROM orders WHERE id = 2",
      "INSERT INTO orders VALUES (7, 'x')",
    ]) {
      const mark = await adapter.mark();
      await adapter.spoil(sql);
      expect(await adapter.changed(mark), sql).toBe(true);
      await adapter.restore(mark);
      expect(await adapter.dump(), sql).toBe(before);
    }
    // A constraint of the database says no.
    await expect(async () => adapter.spoil("UPDATE orders SET status = 'paid' WHERE id = 1")).rejects.toThrow(/unique|duplicate/i);
    expect(await adapter.dump()).toBe(before);
  },
);
