import { randomBytes } from "node:crypto";
import { inspect } from "node:util";
import { afterEach, describe, expect, test } from "vitest";
import { MysqlAdapter, stores } from "../../../../src/adapters/mysql/index.ts";
import { storeUrl } from "../../../../src/adapters/mysql/connect/store-url.ts";
import type { StoreProvider } from "../../../../src/model/stores/store-provider.ts";
import { some } from "../../../sizes.ts";
import { mysqlUrl } from "../../../support/services.ts";
import { admin, databaseUrl, newDatabase } from "../../../contract/system/mysql-databases.ts";

// What a URL writes as %XX, in the names of databases, users and passwords; and names that the server's own catalog takes for one another.

const ENDINGS = [`_quo"te 'n back\\slash`, "_ünï✓", "_a/b c?d=1#e&f", "", "_per%2Fcent a%20b 100%", "_$1;+:@,[]{db_url}"];
const SECRETS = ["p@ss:w/o?r#d 100%", "%2F%zz é", `'"\\ $\`+ünï✓`];

const TABLES = [
  "create table orders(id int auto_increment primary key, status varchar(20) check (status <> ''))",
  "create table lines_of(order_id int, foreign key (order_id) references orders(id) on delete cascade)",
  "create view open_orders as select * from orders where status = 'a'",
  "create trigger born after insert on orders for each row insert into lines_of values (new.id)",
  "insert into orders(status) values ('a'), ('b')",
];
/** Of the one whose name differs by case and accents alone. */
const OTHERS = [
  "create table orders(id int primary key, sum int)",
  "create table bills(id int primary key, foreign key (id) references orders(id) on delete cascade)",
  "create trigger billed before update on orders for each row set new.sum = 1",
  "create procedure bill() select 1",
  "create event billing on schedule every 1 year do select 1",
  "create view all_bills as select * from bills",
];

const providers: StoreProvider[] = [];
const users: string[] = [];
afterEach(async () => {
  for (const one of providers.splice(0)) await one.close();
  for (const user of users.splice(0)) await admin((connection) => connection.query("drop user if exists ?@'%'", [user]));
});

function provider(url: string): StoreProvider {
  const one = stores.createProvider({ name: "db", url, runId: randomBytes(5).toString("hex"), directory: "/nowhere" });
  providers.push(one);
  return one;
}

/** Mode `copy` is not for a store of the user's. */
async function borrow(url: string, checkpoint: "journal" | "copy"): Promise<MysqlAdapter> {
  const adapter = new MysqlAdapter({ url, checkpoint });
  await adapter.open({ name: "db", laneIndex: 0, inProcess: false, borrowed: checkpoint === "journal" });
  await adapter.root();
  return adapter;
}

async function dumpOf(url: string): Promise<string> {
  const adapter = new MysqlAdapter({ url });
  await adapter.open({ name: "db", laneIndex: 0, inProcess: false, borrowed: true });
  try {
    return await adapter.dump();
  } finally {
    await adapter.close();
  }
}

const asUppercase = (name: string): string => name.toUpperCase().replaceAll("Ü", "U").replaceAll("Ï", "I");
const query = (name: string, sql: string): Promise<unknown> => admin(async (connection) => (await connection.query(sql))[0], name);

describe.each(some(ENDINGS, 2))("a database whose name ends with %s", (ending) => {
  test("is put back, copied for lanes and looked at, and the one with nearly the same name is not touched", async () => {
    const name = await newDatabase(TABLES, ending);
    const other = await newDatabase(OTHERS, "", asUppercase(name));
    const url = await databaseUrl(name);
    const rows = (): Promise<unknown> =>
      query(name, "select o.id, o.status, l.order_id from orders o left join lines_of l on l.order_id = o.id order by 1");
    const [before, dump, theirs] = [await rows(), await dumpOf(url), await dumpOf(await databaseUrl(other))];
    expect(dump).toContain("born");
    expect(dump).not.toContain("bill");

    for (const checkpoint of ["journal", "copy"] as const) {
      const adapter = await borrow(url, checkpoint);
      expect(adapter.checkpoint.mode).toBe(checkpoint);
      const mark = await adapter.mark();
      await query(name, "delete from orders where id = 1; insert into orders(status) values ('new')");
      // Schema changes in the other one are none in this one.
      await query(other, "create or replace table bills(id int primary key, foreign key (id) references orders(id) on delete cascade)");
      await adapter.restore(mark);
      expect(await rows()).toEqual(before);
      await query(name, "delete from orders");
      if (checkpoint === "copy") await adapter.restore(mark);
      await adapter.close();
      expect(await rows()).toEqual(before);
      expect(await dumpOf(url)).toBe(dump);
      expect(await dumpOf(await databaseUrl(other))).toBe(theirs);
    }

    const lanes = provider(url);
    await lanes.prepare();
    expect(await dumpOf(await lanes.provide(0, 0))).toBe(dump);
    await lanes.close();
    expect((await stores.check(url)).filter(({ ok }) => !ok)).toEqual([]);
    expect(await stores.disturb(url)).toMatch(/^removed a row of/);
    await expect(provider(await databaseUrl(`${name}x`)).prepare()).rejects.toMatchObject({ code: "STORE_MISSING" });
  });
});

describe.each(some(SECRETS, 1))("the password %s", (secret) => {
  test("opens what it belongs to, and is shown nowhere", async () => {
    const user = `us/er@ü # ${randomBytes(3).toString("hex")}`;
    const name = await newDatabase(TABLES);
    await admin((connection) => connection.query("create user ?@'%' identified by ?; grant all on *.* to ?@'%'", [user, secret, user]));
    users.push(user);
    const { host } = new URL(await mysqlUrl());
    const urlWith = (password: string, database: string): string =>
      `mysql://${encodeURIComponent(user)}:${encodeURIComponent(password)}@${host}/${database}`;
    const url = urlWith(secret, name);
    const dump = await dumpOf(url);
    const adapter = await borrow(url, "journal");
    const mark = await adapter.mark();
    await query(name, "delete from orders");
    await adapter.restore(mark);
    await adapter.close();
    const lanes = provider(url);
    await lanes.prepare();
    expect(await dumpOf(await lanes.provide(0, 0))).toBe(dump);
    await lanes.close();

    const said: unknown[] = [await stores.check(url), await stores.clean(url)];
    for (const bad of [urlWith(`${secret}x`, name), urlWith(secret, `${name}_no`)]) {
      said.push(await stores.check(bad));
      const works = [() => borrow(bad, "journal"), () => provider(bad).prepare(), () => stores.clean(bad), () => stores.disturb(bad)];
      for (const work of works) said.push(await work().then(() => "done", (error: unknown) => error)); // prettier-ignore
    }
    const shown = inspect(said, { depth: 9, showHidden: true });
    expect(shown).toMatch(/refused the login/);
    expect(shown).not.toContain(secret);
    expect(shown).not.toContain(encodeURIComponent(secret));
  });
});

test.each(["{geheim", '{"ca": geheim}', "%7B%22key%22:%22geheim"])("an `ssl` that cannot be read is refused, and not shown: %s", (ssl) => {
  const url = `mysql://u:p@h/db?ssl=${ssl}`;
  for (const work of [() => storeUrl(url), () => new MysqlAdapter({ url })]) {
    const error: unknown = (() => {
      try {
        return work();
      } catch (thrown) {
        return thrown;
      }
    })();
    expect(error).toMatchObject({ code: "STORE_URL_INVALID", exitStatus: 2, message: expect.stringContaining("`ssl`") });
    expect(inspect(error, { depth: null })).not.toContain("geheim");
  }
  expect(storeUrl('mysql://u:p@h/db?ssl={"rejectUnauthorized":false}').database).toBe("db");
});
