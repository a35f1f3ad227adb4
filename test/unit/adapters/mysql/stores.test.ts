import { spawn, type ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { MysqlAdapter, stores } from "../../../../src/adapters/mysql/index.ts";
import type { StoreProvider } from "../../../../src/model/store-provider.ts";
import type { SystemScope } from "../../../../src/model/system.ts";
import { admin, databaseUrl, dropDatabases, newDatabase } from "../../../contract/system/mysql-databases.ts";
import { SCHEMA, SEED } from "../../../contract/system/mysql-world.ts";

const BORROWED: SystemScope = { name: "db", laneIndex: 0, inProcess: false, borrowed: true };
const children: ChildProcess[] = [];
const providers: StoreProvider[] = [];

afterEach(async () => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  for (const provider of providers.splice(0)) await provider.close();
});
let bundles: string;
beforeAll(async () => {
  bundles = mkdtempSync(join(tmpdir(), "seqqa-mysql-run-"));
  const entry = fileURLToPath(new URL("../../../../src/adapters/mysql/index.ts", import.meta.url));
  await build({
    entryPoints: [entry],
    bundle: true,
    platform: "node",
    format: "cjs",
    outfile: join(bundles, "mysql.cjs"),
    logLevel: "error",
  });
});
afterAll(async () => {
  rmSync(bundles, { recursive: true, force: true });
  await dropDatabases();
});

const runId = (): string => randomBytes(5).toString("hex");

function provider(url: string, run: string, name = "db"): StoreProvider {
  const one = stores.createProvider({ name, url, runId: run, directory: "/tmp" });
  providers.push(one);
  return one;
}

async function childOf(...args: readonly string[]): Promise<ChildProcess> {
  const child = spawn(process.execPath, [fileURLToPath(new URL("child.mjs", import.meta.url)), join(bundles, "mysql.cjs"), ...args], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  children.push(child);
  let errors = "";
  child.stderr.on("data", (data: Buffer) => (errors += data.toString()));
  const ended = once(child, "exit").then(() => Promise.reject(new Error(`The child ended: ${errors}`)));
  await Promise.race([once(child.stdout, "data"), ended]);
  ended.catch(() => undefined);
  return child;
}

async function kill(child: ChildProcess): Promise<void> {
  const gone = once(child, "exit");
  child.kill("SIGKILL");
  await gone;
}

async function databases(run: string): Promise<string[]> {
  const [rows] = await admin((connection) =>
    connection.query("select schema_name as n from information_schema.schemata where schema_name like ? order by 1", [`seqqa\\_${run}%`]),
  );
  return (rows as { n: string }[]).map(({ n }) => n);
}

/** Everything, as no adapter of ours has touched it. */
async function dump(url: string): Promise<string> {
  const name = new URL(url).pathname.slice(1);
  return admin(async (connection) => {
    const lines: string[] = [];
    const ask = async (sql: string): Promise<unknown[][]> =>
      (await connection.query({ sql, rowsAsArray: true }))[0] as unknown as unknown[][];
    for (const [table, type] of await ask("show full tables")) {
      const [row] = await ask(`show create table \`${String(table).replaceAll("`", "``")}\``);
      lines.push(String(row?.[1]).replaceAll(`\`${name}\`.`, ""));
      if (type === "VIEW") continue;
      const rows = await ask(`select * from \`${String(table).replaceAll("`", "``")}\``);
      lines.push(...rows.map((one) => JSON.stringify(one)).sort());
    }
    for (const [trigger] of await ask(
      "select trigger_name from information_schema.triggers where trigger_schema = database() order by 1",
    )) {
      lines.push(String((await ask(`show create trigger \`${String(trigger)}\``))[0]?.[2]));
    }
    return lines.join("\n");
  }, name);
}

describe("lanes' databases", () => {
  test("are the template, to the AUTO_INCREMENT, triggers and views", async () => {
    const url = await databaseUrl(
      await newDatabase([...SCHEMA, ...SEED, "insert into audit(table_name) values ('x')", "delete from audit where id > 5"]),
    );
    const run = runId();
    const lanes = provider(url, run);
    await lanes.prepare();
    const before = await dump(url);
    const [one, two] = [await lanes.provide(0, 0), await lanes.provide(1, 0)];
    expect(one).not.toBe(two);
    expect(await dump(one)).toBe(before);
    expect(await dump(two)).toBe(before);
    expect(await stores.disturb(one)).toMatch(/^removed a row of /);
    expect(await dump(one)).not.toBe(before);
    const again = await lanes.provide(0, 1);
    expect(await dump(again)).toBe(before);
    expect(await dump(url)).toBe(before);
    expect(await databases(run)).toHaveLength(3);
    await lanes.release(1);
    expect(await databases(run)).toHaveLength(2);
    await lanes.close();
    await lanes.close();
    expect(await databases(run)).toEqual([]);
  });

  test("of a killed run are removed by the next, those of a living one are not", async () => {
    const url = await databaseUrl(await newDatabase(["create table t(id int primary key)"]));
    const [dead, alive, mine] = [runId(), runId(), runId()];
    const [one] = [await childOf("provide", url, dead), await childOf("provide", url, alive)];
    // Names that look alike, and that no run made.
    const foreign = `seqqa_${runId()}_mine`;
    await admin((connection) => connection.query(`create database ${foreign}`));
    expect(await databases(dead)).toHaveLength(2);
    await kill(one);
    const lanes = provider(url, mine);
    await lanes.prepare();
    expect(await databases(dead)).toEqual([]);
    expect(await databases(alive)).toHaveLength(2);
    await kill(children[1] as ChildProcess);
    expect((await stores.clean(url)).filter((line) => line.includes(alive))).toHaveLength(2);
    expect(await databases(mine)).toHaveLength(1);
    expect(await admin((connection) => connection.query(`drop database ${foreign}`))).toBeDefined();
  });

  test("two stores of one run stand beside each other", async () => {
    const url = await databaseUrl(await newDatabase(["create table t(id int primary key)"]));
    const run = runId();
    const [a, b] = [
      provider(url, run, "db"),
      provider(url, run, "Other store, with a very long name that does not fit into a database's name"),
    ];
    await a.prepare();
    await b.prepare();
    await b.provide(99, 12345);
    expect(await databases(run)).toHaveLength(3);
    for (const name of await databases(run)) expect(name.length).toBeLessThanOrEqual(64);
    await a.close();
    expect(await databases(run)).toHaveLength(2);
  });

  test("a template that is missing is named, the password is not", async () => {
    const url = new URL(await databaseUrl("seqqa_test_missing"));
    url.password = "s3cret%2F";
    url.username = "nobody";
    const error = await provider(url.href, runId())
      .prepare()
      .catch((one: unknown) => one as Error & { code: string; hint: string });
    expect(error).toMatchObject({ code: "STORE_NOT_ALLOWED" });
    expect(JSON.stringify([error, (error as Error).message, (error as Error).stack, (error as Error).cause])).not.toContain("s3cret");
    await expect(provider(await databaseUrl("seqqa_test_missing"), runId()).prepare()).rejects.toMatchObject({ code: "STORE_MISSING" });
  });
});

describe.each(["journal", "copy"] as const)("a borrowed store, %s", (checkpoint) => {
  test("is left as it was found", async () => {
    const database = await newDatabase([...SCHEMA, ...SEED]);
    const url = await databaseUrl(database);
    const before = withoutCounters(await dump(url));
    const system = new MysqlAdapter({ url, checkpoint });
    await system.open(BORROWED);
    // As setup does, before the root.
    await admin((connection) => connection.query("insert into orders(status) values ('setup'); delete from tree"), database);
    await system.root();
    const mark = await system.mark();
    const image = await (async () => {
      await admin((connection) => connection.query("delete from orders where id < 3; update slots set id = id + 7"), database);
      return system.capture();
    })();
    await system.restore(mark);
    await system.write(image);
    await system.close();
    expect(withoutCounters(await dump(url))).toBe(before);
  });

  test("is put back by the next run when a run was killed, and refused while it lives", async () => {
    const database = await newDatabase([...SCHEMA, ...SEED]);
    const url = await databaseUrl(database);
    const before = withoutCounters(await dump(url));
    const child = await childOf("borrow", url, checkpoint);
    await admin((connection) => connection.query("delete from orders where id < 3; insert into bag values (5, 'x')"), database);
    await expect(new MysqlAdapter({ url }).open(BORROWED)).rejects.toMatchObject({ code: "STORE_IN_USE" });
    expect((await stores.clean(url)).filter((line) => line.includes(database))).toEqual([]);
    await kill(child);
    expect((await stores.clean(url)).filter((line) => line.includes(database))).toHaveLength(1);
    expect(withoutCounters(await dump(url))).toBe(before);
    expect((await stores.clean(url)).filter((line) => line.includes(database))).toEqual([]);
  });
});

function withoutCounters(text: string): string {
  return text.replaceAll(/ AUTO_INCREMENT=\d+/g, "");
}

test("check says what was found, and leaves nothing behind", async () => {
  const url = await databaseUrl(await newDatabase([...SCHEMA, ...SEED]));
  const before = await dump(url);
  const checks = await stores.check(url);
  expect(checks.filter(({ ok }) => !ok)).toEqual([]);
  expect(checks.map(({ what }) => what)).toEqual(["reachable", "privileges", "checkpoint", "connections", "speed", "leftovers"]);
  expect(checks[2]?.says).toContain("auto takes journal");
  expect(await dump(url)).toBe(before);
  const none = await stores.check("mysql://root:geheim@127.0.0.1:1/x");
  expect(none).toMatchObject([{ ok: false, what: "reachable" }]);
  expect(JSON.stringify(none)).not.toContain("geheim");
});
