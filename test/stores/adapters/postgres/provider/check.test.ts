import { afterAll, beforeAll, expect, test } from "vitest";
import { PostgresAdapter, stores } from "../../../../../src/adapters/postgres/index.ts";
import type { StoreUse } from "../../../../../src/model/stores/store-provider.ts";
import { Databases } from "../savepoint/databases.ts";

let databases: Databases;

beforeAll(async () => {
  databases = await Databases.open();
});
afterAll(() => databases.close());

const as = (url: string, role: string): string => url.replace(/\/\/[^@]*@/, `//${role}@`);
const IN_PLACE = { inPlace: true, inProcess: false };
const find = async (url: string, what: string, use?: StoreUse): Promise<{ ok: boolean; says: string } | undefined> =>
  (await stores.check(url, use)).find((check) => check.what === what);

test("a check says what was found, and leaves nothing behind", async () => {
  const name = await databases.create(["create table t(id serial primary key)"]);
  const names = await databases.names(`%${databases.prefix}%`);
  const checks = await stores.check(databases.url(name));
  expect(checks.map(({ ok, what }) => [what, ok])).toEqual([
    ["reachable", true],
    ["lanes", true],
    ["checkpoint", true],
    ["connections", true],
    ["speed", true],
    ["leftovers", true],
  ]);
  expect(checks.find(({ what }) => what === "reachable")?.says).toMatch(/^PostgreSQL \d+\.\d+ at postgresql:\/\/[^@]+$/);
  expect(checks.find(({ what }) => what === "checkpoint")?.says).toMatch(/^auto chooses journal/);
  expect(checks.find(({ what }) => what === "lanes")?.says).toBe("seqqa copies the database with CREATE DATABASE ... TEMPLATE");
  expect(await databases.names(`%${databases.prefix}%`)).toEqual(names);
  await databases.within(name, async () => {
    expect((await find(databases.url(name), "lanes"))?.says).toBe(
      "seqqa copies the database with pg_dump, because 1 session is open on the database",
    );
  });
});

test("a check says what is missing", async () => {
  const name = await databases.create(["create table t(id serial primary key)"]);
  const role = `${databases.prefix}_poor`;
  await databases.admin.query(`create role ${role} login`);
  const url = as(databases.url(name), role);
  expect(await find(url, "lanes")).toMatchObject({ ok: false, says: expect.stringContaining("CREATEDB") as string });
  expect(await find(url, "checkpoint")).toMatchObject({
    ok: true,
    says: expect.stringMatching(/^auto chooses clone.*belongs to the role "postgres"/) as string,
  });
  expect(await find(url, "checkpoint", IN_PLACE)).toMatchObject({
    ok: false,
    says: expect.stringMatching(/used for the database .* in place: .*belongs to the role "postgres"/) as string,
  });
  expect(await find(url, "checkpoint", { ...IN_PLACE, inProcess: true })).toMatchObject({ ok: true });
  expect(await find(url, "lanes", IN_PLACE)).toBeUndefined();
  await databases.admin.query(`drop role ${role}`);
  await databases.admin.query(`alter database ${name} set synchronous_commit = off`);
  expect((await find(databases.url(name), "speed"))?.says).toBe("commits do not wait for the disk");
});

test("a check of what cannot be reached is one sentence without the password", async () => {
  for (const url of [
    "postgresql://ann:s3cr3t@127.0.0.1:1/shop",
    databases.url("seqqa_nowhere").replace("postgres@", "postgres:s3cr3t@"),
    "postgresql://ann:s3cr3t@[/",
  ]) {
    const checks = await stores.check(url);
    expect(checks).toMatchObject([{ ok: false, what: "reachable" }]);
    expect(JSON.stringify(checks)).not.toContain("s3cr3t");
    expect(() => stores.createProvider({ name: "db", url, runId: "1f2e", directory: "/nowhere" }).close()).not.toThrow(/s3cr3t/);
  }
});

test("what is disturbed shows in a dump", async () => {
  const dump = async (name: string): Promise<string> => {
    const adapter = new PostgresAdapter({ url: databases.url(name), checkpoint: "savepoint" });
    await adapter.open({ name: "db", laneIndex: 0, inProcess: true, borrowed: false });
    const text = await adapter.dump();
    await adapter.close();
    return text;
  };
  const kept = ["create table a(id serial primary key)", "create table b(id int references a)", "insert into a values(1); insert into b values(1)"]; // prettier-ignore
  const name = await databases.create(kept);
  const before = await dump(name);
  // What others refer to cannot be removed; what refers to it can.
  expect(await stores.disturb(databases.url(name))).toBe("removed a row of b and took the next value of sequence a_id_seq");
  expect(await dump(name)).not.toBe(before);
  expect(await stores.disturb(databases.url(await databases.create(["create table a(id int)"])))).toBeUndefined();
});
