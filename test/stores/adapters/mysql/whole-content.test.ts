import { createConnection, type Connection } from "mysql2/promise";
import { afterEach, expect, test } from "vitest";
import { MysqlAdapter } from "../../../../src/adapters/mysql/index.ts";
import { databaseUrl, newDatabase } from "../../../contract/system/mysql-databases.ts";

const open: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).toReversed()) await close().catch(() => undefined);
});

async function rooted(rows: readonly string[], borrowed = false): Promise<{ readonly system: MysqlAdapter; readonly api: Connection }> {
  const url = await databaseUrl(
    await newDatabase(["create table users(id varchar(20) primary key)", "create table sessions(token varchar(20))", ...rows]),
  );
  const system = new MysqlAdapter({ url });
  await system.open({ name: "db", laneIndex: 0, inProcess: false, borrowed });
  open.push(() => system.close());
  await system.root();
  const api = await createConnection({ uri: url });
  open.push(() => api.end());
  return { system, api };
}

test("a lane whose root state has other rows takes over the whole content of another lane", async () => {
  const first = await rooted(["insert into users values ('a'), ('b')", "insert into sessions values ('x'), ('x'), (null)"]);
  await first.api.query("delete from sessions where token is null");
  const whole = structuredClone(await first.system.captureWhole());

  const second = await rooted(["insert into users values ('b'), ('d')"]);
  const [mark, dump] = [await second.system.mark(), await second.system.dump()];
  await second.api.query("insert into sessions values ('y')");
  await second.system.write(whole);
  const rows = async (sql: string): Promise<unknown> => (await second.api.query({ sql, rowsAsArray: true }))[0];
  expect(await rows("select id from users order by id")).toEqual([["a"], ["b"]]);
  expect(await rows("select token from sessions")).toEqual([["x"], ["x"]]);

  await second.system.restore(mark);
  expect(await second.system.dump()).toBe(dump);
});

test("an external store has no whole content", async () => {
  expect(await (await rooted([], true)).system.captureWhole()).toBeUndefined();
});
