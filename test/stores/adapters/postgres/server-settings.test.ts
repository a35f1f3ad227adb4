import { expect, test } from "vitest";
import { adapterOn, rooted, SCOPE, scratch, session } from "./scratch.ts";

const T = "create table t(id int primary key)";

test("a database that ends idle sessions does not end ours", async () => {
  const { database, url, api } = await scratch([T]);
  const { rows } = await api.query<{ n: string }>("select name as n from pg_settings where name = 'idle_session_timeout'");
  // The setting came with version 14.
  if (rows.length === 0) return;
  await api.query(`alter database "${database}" set idle_session_timeout = '300ms'`);
  const adapter = adapterOn(url, { checkpoint: "journal" });
  await adapter.open(SCOPE);
  await adapter.root();
  const mark = await adapter.mark();
  await api.query("insert into t values (1)");
  await new Promise((resolve) => setTimeout(resolve, 900));
  await adapter.restore(mark);
  expect((await api.query("select from t")).rowCount).toBe(0);
});

test.each(["journal", "savepoint", "clone"] as const)(
  "%s: a schema whose name begins with pg is the user's, whatever a backslash means",
  async (checkpoint) => {
    const { database, url, api } = await scratch([T, "create schema pgboss", "create table pgboss.job(id int primary key)"]);
    await api.query(`alter database "${database}" set standard_conforming_strings = off`);
    await api.end();
    const adapter = adapterOn(url, { checkpoint });
    await adapter.open({ ...SCOPE, inProcess: checkpoint === "savepoint" });
    await adapter.root();
    const mark = await adapter.mark();
    await adapter.query("select 1");
    if (checkpoint === "savepoint") await adapter.connection.query("insert into pgboss.job values (1)");
    else await (await session(url)).query("insert into pgboss.job values (1)");
    expect(await adapter.changed(mark)).toBe(true);
    expect(await adapter.observe()).toMatchObject({ tables: [{ name: "pgboss.job" }] });
  },
);

test("names of things are stored as text that no setting of the target changes", async () => {
  const { api, adapter, mark, dump } = await rooted([T, "create table c(r regclass, p regtype)"]);
  await api.query("set quote_all_identifiers = on");
  await api.query("insert into c values ('t', 'integer')");
  expect(await adapter.changed(mark)).toBe(true);
  await adapter.restore(mark);
  expect(await adapter.dump()).toBe(dump);
});
