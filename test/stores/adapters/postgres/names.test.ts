import { inspect } from "node:util";
import pg from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { PostgresAdapter, stores, type PostgresAdapterOptions } from "../../../../src/adapters/postgres/index.ts";
import { readDump } from "../../../../src/adapters/postgres/journal/full-reading.ts";
import { connect, TEXT_SETTINGS } from "../../../../src/adapters/postgres/connect/connect.ts";
import { storeUrl } from "../../../../src/adapters/postgres/connect/store-url.ts";
import type { StoreProvider } from "../../../../src/model/stores/store-provider.ts";
import { some } from "../../../sizes.ts";
import { otherRuns } from "../../../support/other-run.ts";
import { Databases } from "./savepoint/databases.ts";

// What a URL writes as %XX, in the names of databases, users and passwords.

const NAMES = ["a/b c?d=1#e&f", `quo"te 'n back\\slash`, "ünï✓💶", "per%2Fcent a%20b 100%", "$1;+:@,[]{db_url}"];
const TABLES = ["create table orders(id serial primary key, status text)", "insert into orders(status) values ('a'), ('b')"];
const SECRETS = ["p@ss:w/o?r#d 100%", "%2F%zz é", `'"\\ $\`+ünï✓`];

let databases: Databases;
const runs = otherRuns("postgres");
const providers: StoreProvider[] = [];

beforeAll(async () => {
  databases = await Databases.own();
  // Who is not the administrator needs a password here.
  const [{ hba_file: file }] = (await databases.admin.query<{ hba_file: string }>("show hba_file")).rows as [{ hba_file: string }];
  const rules = "values ('host all postgres 127.0.0.1/32 trust'), ('host all all 127.0.0.1/32 scram-sha-256')";
  await databases.admin.query(`copy (${rules}) to ${pg.escapeLiteral(file)}; select pg_reload_conf()`);
}, 120_000);
afterEach(async () => {
  for (const one of providers.splice(0)) await one.close();
});
afterAll(() => databases.close());

/** Of the database as a session sees it that no URL has led there. */
const rows = (name: string): Promise<unknown[]> =>
  databases.within(name, async (client) => (await client.query("select id, status from orders order by 1")).rows);

async function dumpOf(url: string): Promise<string> {
  const client = await connect(storeUrl(url), { rawText: true, settings: TEXT_SETTINGS });
  try {
    return await readDump(client);
  } finally {
    await client.end();
  }
}

const borrow = async (url: string, checkpoint: PostgresAdapterOptions["checkpoint"]): Promise<PostgresAdapter> => {
  const adapter = new PostgresAdapter({ url, checkpoint: checkpoint! });
  await adapter.open({ name: "db", laneIndex: 0, inProcess: checkpoint === "savepoint", borrowed: checkpoint !== "clone" });
  await adapter.root();
  return adapter;
};

function provider(url: string): StoreProvider {
  const one = stores.createProvider({ name: "db", url, runId: "1f2e3d", directory: "/nowhere" });
  providers.push(one);
  return one;
}

describe.each(some(NAMES, 2))("a database that is called %s", (name) => {
  test("is put back, journalled and cloned, and looked at by doctor", async () => {
    const url = databases.url(await databases.create(TABLES, "template1", name));
    try {
      const [before, dump] = [await rows(name), await dumpOf(url)];
      for (const checkpoint of ["journal", "clone"] as const) {
        const adapter = await borrow(url, checkpoint);
        const mark = await adapter.mark();
        await databases.within(name, (client) =>
          client.query("delete from orders where id = 1; insert into orders(status) values ('new')"),
        );
        await adapter.restore(mark);
        expect(await rows(name)).toEqual(before);
        // A clone is not for a user's own store, and closing it leaves the database as it is.
        if (checkpoint === "journal") await databases.within(name, (client) => client.query("delete from orders"));
        await adapter.close();
        expect(await rows(name)).toEqual(before);
        expect(await dumpOf(url)).toBe(dump);
      }
      expect((await stores.check(url)).filter(({ ok }) => !ok)).toEqual([]);
      expect(await stores.disturb(url)).toMatch(/^removed a row of orders/);
    } finally {
      await databases.drop(name);
    }
  });

  test("is the template of lanes, by the server and by pg_dump", async () => {
    const url = databases.url(await databases.create(TABLES, "template1", name));
    try {
      const dump = await dumpOf(url);
      const one = provider(url);
      await one.prepare();
      expect(await dumpOf(await one.provide(0, 0))).toBe(dump);
      await one.close();
      // With somebody on it, it is copied by pg_dump.
      await databases.within(name, async () => {
        const other = provider(url);
        await other.prepare();
        expect(await dumpOf(await other.provide(0, 0))).toBe(dump);
        await other.close();
      });
    } finally {
      await databases.drop(name);
    }
  });
});

test("a killed run's database is put back, whatever its name, and no other", async () => {
  const [name, decoy] = ["shop test/ü #1?", "shop test"];
  for (const one of [name, decoy]) await databases.create(TABLES, "template1", one);
  const url = databases.url(name);
  const before = await dumpOf(url);
  for (const checkpoint of ["journal", "savepoint"]) {
    const run = runs.start(
      `const db = new PostgresAdapter({ url: ${JSON.stringify(url)}, checkpoint: "${checkpoint}" });
       await db.open({ name: "db", laneIndex: 0, inProcess: ${checkpoint === "savepoint"}, borrowed: true }); await db.root(); say("ready");
       setInterval(async () => { if ((await db.observe()).tables.length > 0) say("seen"); }, 20);`,
    );
    expect(await run.said()).toBe("ready");
    if (checkpoint !== "savepoint") {
      await databases.within(name, (client) => client.query("delete from orders"));
      expect(await run.said()).toBe("seen");
    }
    await run.kill();
    expect((await stores.clean(url)).removed).toEqual([expect.stringContaining(`/${name}`)]);
    expect(await dumpOf(url)).toBe(before);
  }
  expect(await rows(decoy)).toHaveLength(2);
  for (const one of [name, decoy]) await databases.drop(one);
});

describe.each(some(SECRETS, 1))("the password %s", (secret) => {
  const urlWith = (user: string, password: string, database: string): string => {
    const { host } = new URL(databases.base);
    return `postgresql://${encodeURIComponent(user)}:${encodeURIComponent(password)}@${host}/${encodeURIComponent(database)}`;
  };
  const shown = (...said: readonly unknown[]): string => said.map((one) => inspect(one, { depth: 9, showHidden: true })).join("\n");

  test("opens what it belongs to, also for pg_dump, and is shown nowhere", async () => {
    const [user, name] = ["us/er@ü #", `secret ${databases.prefix}`];
    await databases.admin.query(`create role ${pg.escapeIdentifier(user)} superuser login password ${pg.escapeLiteral(secret)}`);
    await databases.create(TABLES, "template1", name);
    try {
      const url = urlWith(user, secret, name);
      const dump = await dumpOf(url);
      const adapter = await borrow(url, "journal");
      const mark = await adapter.mark();
      await databases.within(name, (client) => client.query("delete from orders"));
      await adapter.restore(mark);
      await adapter.close();
      await databases.within(name, async () => {
        const one = provider(url);
        await one.prepare();
        expect(await dumpOf(await one.provide(0, 0))).toBe(dump);
        await one.close();
      });
      const said: unknown[] = [await stores.check(url), await stores.clean(url)];
      const wrong = urlWith(user, `${secret}x`, name);
      const missing = urlWith(user, secret, `${name} no`);
      for (const bad of [wrong, missing]) {
        said.push(await stores.check(bad));
        for (const work of [
          () => borrow(bad, "journal"),
          () => provider(bad).prepare(),
          () => stores.clean(bad),
          () => stores.disturb(bad),
        ]) {
          said.push(await work().then(() => "done", (error: unknown) => error)); // prettier-ignore
        }
      }
      expect(shown(said)).toMatch(/password authentication failed for user/);
      expect(shown(said)).not.toContain(secret);
      expect(shown(said)).not.toContain(encodeURIComponent(secret));
      // As people write it, with what need not be encoded as it is.
      const plain = secret.replaceAll(/[@:/?#]|%(?=[0-9a-f]{2})/gi, encodeURIComponent);
      const literal = url.replace(/:[^:@]*@/, () => `:${plain}@`);
      expect(await dumpOf(literal)).toBe(dump);
    } finally {
      await databases.drop(name);
      await databases.admin.query(`drop role ${pg.escapeIdentifier(user)}`);
    }
  });
});

test.each([
  ["as it stands, with a blank and a lone %", "postgresql://u:a%b c@h/my db%20x", { database: "my db x" }],
  ["that is no UTF-8", "postgresql://u:geheim%FF@h/db", "STORE_URL_INVALID"],
  ["whose name is no UTF-8", "postgresql://u:geheim@h/db%FF", "STORE_URL_INVALID"],
])("a URL %s", (_, url, is) => {
  if (typeof is !== "string") return expect(storeUrl(url)).toMatchObject(is);
  expect(() => storeUrl(url)).toThrow(
    expect.objectContaining({ code: is, message: expect.not.stringContaining("geheim") as string }) as Error,
  );
});
