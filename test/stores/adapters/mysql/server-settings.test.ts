import { expect, test, vi } from "vitest";
import { MysqlAdapter } from "../../../../src/adapters/mysql/index.ts";
import { readCatalog } from "../../../../src/adapters/mysql/schema/catalog.ts";
import { connect, disconnect, OUR_SETTINGS } from "../../../../src/adapters/mysql/connect/connect.ts";
import { Control, type Queries } from "../../../../src/adapters/mysql/connect/control.ts";
import { JournalMode } from "../../../../src/adapters/mysql/journal/journal-mode.ts";
import { SchemaWatch } from "../../../../src/adapters/mysql/schema/schema-watch.ts";
import { storeUrl } from "../../../../src/adapters/mysql/connect/store-url.ts";
import { admin, databaseUrl, newDatabase } from "../../../contract/system/mysql-databases.ts";

const LANE = { name: "db", laneIndex: 0, inProcess: false, borrowed: false };

test("what a server sets for its clients does not reach our sessions: ends of idle ones, of long statements, and a COMMIT that closes", async () => {
  const store = storeUrl(await databaseUrl(await newDatabase()));
  const clients = [
    "session wait_timeout = 1",
    "session completion_type = 2 /*M! , session max_statement_time = 5 */ /*!50708 , session max_execution_time = 5 */",
  ];
  const connection = await connect(store, { settings: [...clients, ...OUR_SETTINGS], driver: { rowsAsArray: true } });
  try {
    const [rows] = await connection.query(
      "select @@wait_timeout, @@completion_type + '' /*M! , @@max_statement_time */ /*!50708 , @@max_execution_time */",
    );
    const [wait, completion, longest = 0] = (rows as unknown as [number, number | string, number?][])[0]!;
    expect(wait).toBeGreaterThan(2_000_000);
    expect(String(completion)).toMatch(/^(?:0|NO_CHAIN)$/);
    expect(longest).toBe(0);
  } finally {
    await disconnect(connection);
  }
});

test("foreign keys are of this database where the server tells no upper from lower case", async () => {
  const parent = "create table a(id int primary key)";
  const store = storeUrl(
    await databaseUrl(await newDatabase([parent, "create table b(a int, foreign key (a) references a(id) on delete cascade)"])),
  );
  const control = await Control.open(store, false);
  try {
    // As such a server keeps the names of databases: in lower case, whatever the URL says.
    const database = store.database.toUpperCase();
    const told = (sql: string): string =>
      sql.replaceAll("@@lower_case_table_names", "1").replaceAll(hex(database) + "' and", `${hex(store.database)}' and`);
    const queries: Queries = {
      store: { ...store, database },
      rows: (sql) => control.rows(told(sql)),
      batch: (statements) => control.batch(statements.map(told)),
    };
    const catalog = await readCatalog(queries);
    expect(catalog.unjournalled).toEqual([]);
    expect(catalog.keys).toMatchObject([{ child: "b", parent: "a", onDelete: "cascade" }]);
  } finally {
    await control.close();
  }
});

function hex(text: string): string {
  return Buffer.from(text).toString("hex");
}

test("one database has one lock, however its name is written, where the server tells no upper from lower case", async () => {
  const name = await newDatabase();
  const upper = await newDatabase([], "", name.toUpperCase());
  const [first, second] = [storeUrl(await databaseUrl(name)), storeUrl(await databaseUrl(upper))];
  // Here they are two.
  for (const one of [await Control.open(first), await Control.open(second)]) await one.close();
  const rows = Control.prototype.rows;
  const asked = vi.spyOn(Control.prototype, "rows").mockImplementation(function (this: Control, sql) {
    return rows.call(this, sql.replaceAll("@@lower_case_table_names", "1"));
  });
  const control = await Control.open(first);
  try {
    await expect(Control.open(second)).rejects.toMatchObject({ code: "STORE_IN_USE" });
  } finally {
    asked.mockRestore();
    await control.close();
  }
});

test("who reads in an open transaction is waited for while the journal is installed, and named when it stays", async () => {
  const url = await databaseUrl(await newDatabase(["create table t(id int primary key)"]));
  const system = new MysqlAdapter({ url });
  await admin(async (reader) => {
    await reader.query("set autocommit = 0");
    await reader.query("select * from t");
    const opened = system.open(LANE);
    // Longer than the server is asked to wait.
    await new Promise((resolve) => setTimeout(resolve, 1800));
    await reader.query("commit");
    await opened;
    await system.close();
    await reader.query("select * from t");
    await expect(new MysqlAdapter({ url }).open(LANE)).rejects.toMatchObject({
      code: "STORE_BUSY",
      hint: expect.stringContaining("transactions"),
    });
  }, new URL(url).pathname.slice(1));
});

test("who writes the row that is put back, after the log was read, is waited for", async () => {
  const database = await newDatabase(["create table t(id int primary key, a int)", "insert into t values (1, 1)"]);
  const control = await Control.open(storeUrl(await databaseUrl(database)));
  const mode = await JournalMode.open(control, await readCatalog(control), { selection: () => true, borrowed: false });
  try {
    await mode.root();
    const mark = await mode.mark();
    await admin(async (target) => {
      await target.query("delete from t");
      const rows = control.rows.bind(control);
      const between = vi.spyOn(control, "rows").mockImplementation(async (sql) => {
        if (sql.startsWith("start transaction")) {
          between.mockRestore();
          await target.query("insert into t values (1, 9)");
        }
        return rows(sql);
      });
      await mode.restore(mark);
      expect(await target.query({ sql: "select a from t", rowsAsArray: true })).toMatchObject([[[1]], {}]);
    }, database);
  } finally {
    await mode.close(true);
  }
});

test("the schema is read without the server's looking through all its databases", async () => {
  const control = await Control.open(storeUrl(await databaseUrl(await newDatabase(["create table t(id int primary key)"]))), false);
  try {
    const asked: string[] = [];
    const batch = control.batch.bind(control);
    vi.spyOn(control, "batch").mockImplementation((statements) => {
      asked.push(...statements);
      return batch(statements);
    });
    await readCatalog(control);
    await SchemaWatch.open(control);
    const known = asked.filter((sql) => sql.includes("information_schema."));
    expect(known.filter((sql) => sql.includes("information_schema.triggers"))).toHaveLength(2);
    for (const sql of known) expect((await control.rows(`explain ${sql}`)).join(), sql).not.toContain("Scanned all databases");
  } finally {
    await control.close();
  }
});
