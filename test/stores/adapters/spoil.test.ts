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

type Checkpoint = "journal" | "savepoint";

const adapters = {
  sqlite: (checkpoint: Checkpoint) => {
    const file = join(mkdtempSync(join(tmpdir(), "seqqa-spoil-")), "db");
    new Database(file).exec(`${TABLE}; ${ROWS}`).close();
    return Promise.resolve(new SqliteAdapter({ file, checkpoint }));
  },
  postgres: async (checkpoint: Checkpoint) => {
    const url = await template("postgres");
    for (const sql of [TABLE, ROWS]) await onPostgres(url, sql);
    return new PostgresAdapter({ url, checkpoint });
  },
  mysql: async (checkpoint: Checkpoint) => {
    const url = await template("mysql");
    for (const sql of [TABLE, ROWS]) await onMysql(url, sql);
    return new MysqlAdapter({ url, checkpoint });
  },
};

it.each(
  (["sqlite", "postgres", "mysql"] as const).flatMap((kind) => (["journal", "savepoint"] as const).map((mode) => [kind, mode] as const)),
)("a row of %s (%s) that was made wrong is part of the state, and undone with it", async (kind, mode) => {
  const adapter = await adapters[kind](mode);
  await adapter.open({ name: "db", laneIndex: 0, inProcess: mode === "savepoint", borrowed: false });
  onTestFinished(async () => adapter.close());
  await adapter.root();
  const before = await adapter.dump();
  for (const sql of [
    "UPDATE orders SET status = 'gone' WHERE id = 1",
    "DELETE FROM orders WHERE id = 2",
    "INSERT INTO orders VALUES (7, 'x')",
  ]) {
    const mark = await adapter.mark();
    expect(await adapter.spoil(sql), sql).toBe(1);
    expect(await adapter.changed(mark), sql).toBe(true);
    // The row was changed by the exploration itself, which in savepoint mode only its own connection can see.
    expect(await adapter.spoil("UPDATE orders SET status = 'again' WHERE status = 'gone' OR (id = 1 AND status = 'new')"), sql).toBe(1);
    expect(await adapter.spoil("DELETE FROM orders WHERE id = 99"), sql).toBe(0);
    await adapter.restore(mark);
    expect(await adapter.dump(), sql).toBe(before);
  }
  // A constraint of the database says no.
  await expect(async () => adapter.spoil("UPDATE orders SET status = 'paid' WHERE id = 1")).rejects.toThrow(/unique|duplicate/i);
  expect(await adapter.dump()).toBe(before);
});
