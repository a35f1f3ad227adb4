import { createConnection } from "mysql2/promise";
import { afterAll, expect, test, vi } from "vitest";
import { MysqlAdapter, stores } from "../../../../src/adapters/mysql/index.ts";
import { databaseUrl, newDatabase } from "../../../contract/system/mysql-databases.ts";
import { ignoredColumnsContract } from "../../../contract/ignored/ignored-columns.ts";

const open: { end(): Promise<unknown> }[] = [];
afterAll(async () => {
  for (const one of open.splice(0).toReversed()) await one.end().catch(() => undefined);
});

ignoredColumnsContract(async (schema) => {
  const database = await newDatabase(schema);
  const url = await databaseUrl(database);
  const user = await createConnection({ uri: url, multipleStatements: true });
  open.push(user);
  const rows = async (sql: string): Promise<unknown[][]> => (await user.query({ sql, rowsAsArray: true }))[0] as unknown as unknown[][];
  const sessions = (): Promise<unknown[][]> =>
    rows(`select id from information_schema.processlist where db = '${database}' and id <> connection_id()`);
  let adapter: MysqlAdapter | undefined;
  open.push({ end: async () => adapter?.close() });
  return {
    open: async (scope, isRooted = true) => {
      adapter = new MysqlAdapter({ url });
      await adapter.open(scope);
      if (isRooted) await adapter.root();
      return adapter;
    },
    exec: (sql) => user.query(sql),
    rows,
    kill: async () => {
      for (const [id] of await sessions()) await user.query(`kill ${String(id)}`).catch(() => undefined);
      await vi.waitFor(async () => {
        if ((await sessions()).length > 0) throw new Error("sessions of the run are still there");
      }, 30_000);
      await adapter?.close().catch(() => undefined);
    },
    clean: async () => (await stores.clean(url)).leftover,
  };
});

test("ignored values of all kinds stay, also where a unique value makes the row go and come, and where the server would stamp the row", async () => {
  const database = await newDatabase([
    `create table things(id int primary key, code varchar(9) unique, v int, seen_f float, seen_d decimal(20,8), seen_b bit(9), seen_j json,
      seen_e enum('x', 'y'), seen_x varbinary(9), seen_t text character set latin1, seen_n int null, seen_p point,
      seen_at timestamp(3) default '2020-01-01 00:00:00' on update current_timestamp(3))`,
    `insert into things values (1, 'a', 0, 0.1, 12345678901.12345678, b'101010101', '{"a": 1}', 'y', x'00ff', _latin1 x'e4', null, point(1, 2), '2021-02-03 04:05:06.789'),
      (2, 'b', 0, 1e30, -1, 0, 'null', 'x', '', '', 0, null, '2022-02-03 04:05:06.007')`,
  ]);
  const url = await databaseUrl(database);
  const user = await createConnection({ uri: url, multipleStatements: true, dateStrings: true });
  open.push(user);
  const rows = async (): Promise<unknown> => (await user.query("select *, hex(seen_x), hex(seen_t) from things order by id"))[0];
  let asked: number | undefined = 1;
  const adapter = new MysqlAdapter({ url, ignore: ["things.seen_*"] });
  await adapter.open({ name: "db", laneIndex: 0, inProcess: false, borrowed: true, asked: () => asked });
  open.push({ end: () => adapter.close() });
  await adapter.root();
  const mark = await adapter.mark();
  const before = await rows();
  for (const write of [
    "update things set v = 1, seen_at = seen_at",
    "update things set code = concat(code, 'x'), v = 1, seen_at = seen_at",
  ]) {
    asked = undefined;
    await user.query(write);
    await adapter.observe();
    asked = 1;
    await adapter.restore(mark);
    expect(await rows()).toEqual(before);
  }
});
