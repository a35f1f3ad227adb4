import Database from "better-sqlite3";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { folderWith, linkPackages, root, seqqa, startNode, until } from "../support/e2e.ts";
import { onPostgres, template } from "../support/store-templates.ts";

/** Writes a row, as the application under test would. */
const WRITER = `
import { createRequire } from "node:module";
const Database = createRequire(import.meta.url)("better-sqlite3");
new Database(process.argv[2].slice("sqlite:".length)).exec("insert into orders(status) values ('new')");
`;

/** Functions that test files share. */
const HELP = `
import { execFileSync } from "node:child_process";
import Database from "better-sqlite3";
export const order = (url) => execFileSync(process.execPath, ["writer.mjs", url]);
export const orders = (url) => {
  const db = new Database(url.slice("sqlite:".length), { readonly: true });
  const count = db.prepare("select count(*) from orders").pluck().get();
  db.close();
  return count;
};
`;

function project(files: Readonly<Record<string, string>>, ...packages: readonly string[]): string {
  const folder = folderWith({ "package.json": '{ "type": "module" }', "writer.mjs": WRITER, "help.mjs": HELP, ...files });
  linkPackages(folder, "seqqa", "better-sqlite3", ...packages);
  new Database(join(folder, "shop.db"))
    .exec("create table orders(id integer primary key, status text); insert into orders(status) values ('old')")
    .close();
  return folder;
}

const left = (folder: string): unknown =>
  new Database(join(folder, "shop.db"), { readonly: true }).prepare("select count(*) from orders").pluck().get();

it.concurrent("node:test, without any syntax that has to be compiled", async () => {
  const folder = project({
    "shop.test.mjs": `
import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, test } from "node:test";
import { openWorld } from "seqqa/testing";
import { order, orders } from "./help.mjs";

let world, checkpoint;
before(async () => { world = await openWorld({ dbUrl: "sqlite:./shop.db" }); });
after(() => world.close());
beforeEach(async (t) => { checkpoint = await world.checkpoint(t.name); });
afterEach(() => checkpoint.restore());

for (const name of ["first", "second", "third"]) test(name, async () => {
  assert.equal(checkpoint.name, name);
  assert.equal(orders(world.dbUrl), 1);
  order(world.dbUrl);
  const nested = await world.checkpoint();
  try {
    order(world.dbUrl);
    assert.equal(orders(world.dbUrl), 3);
  } finally {
    await nested.restore();
  }
  assert.equal(orders(world.dbUrl), 2);
});
`,
  });
  const { status, stdout } = await startNode(["--test"], { cwd: folder }).ended;
  expect(status, stdout).toBe(0);
  expect(stdout).toMatch(/pass 3\n/);
  expect(left(folder)).toBe(1);
});

const VITEST_FILE = `
import { describe, expect, test as base } from "vitest";
import { worldFixture } from "seqqa/testing/vitest";
import { order, orders } from "./help.mjs";

const test = base.extend(worldFixture({ dbUrl: "sqlite:./shop.db" }));
describe("orders", () => {
  test("names itself", async ({ world, checkpoint }) => {
    expect(checkpoint.name).toContain("orders > names itself");
    order(world.dbUrl);
    await using _nested = await world.checkpoint("nested");
    order(world.dbUrl);
    expect(orders(world.dbUrl)).toBe(3);
  });
  test("starts from the beginning", ({ world }) => expect(orders(world.dbUrl)).toBe(1));
});
`;

it.concurrent("Vitest: a fixture, files in parallel, and a late write that fails the next test and names its own", async () => {
  const folder = project(
    {
      "a.test.ts": VITEST_FILE,
      "b.test.ts": VITEST_FILE,
      "late.test.ts": `
import { afterAll, test as base } from "vitest";
import { worldFixture } from "seqqa/testing/vitest";
import { order } from "./help.mjs";
let url = "";
const test = base.extend(worldFixture({ dbUrl: "sqlite:./shop.db" }));
test("forgets to wait", ({ world, onTestFinished }) => { url = world.dbUrl; });
base("something between", () => { order(url); });
test("is innocent", ({ world }) => {});
test("goes on", ({ world }) => {});
`,
    },
    "vitest",
  );
  const { status, stdout, stderr } = await startNode([join(root, "node_modules/vitest/vitest.mjs"), "run", "--testTimeout", "60000"], {
    cwd: folder,
    env: { NO_COLOR: "1" },
  }).ended;
  expect(status, stdout + stderr).toBe(1);
  expect(stdout).toMatch(/Tests +1 failed \| 7 passed/);
  expect(stderr).toMatch(
    /FAIL +late\.test\.ts > is innocent\nSeqqaError: Something wrote to db after seqqa had restored the checkpoint "late\.test\.ts > forgets to wait"\. seqqa undid this write\./,
  );
  expect(left(folder)).toBe(1);
});

it("a killed suite: seqqa clean, or the next world, removes its copy", async () => {
  const dbUrl = await template("postgres");
  const folder = folderWith({
    "suite.mjs": `
import { openWorld } from "seqqa/testing";
const world = await openWorld({ dbUrl: process.argv[2] });
await world.checkpoint();
console.log(new URL(world.dbUrl).pathname.slice(1));
if (process.argv[3] === "once") await world.close();
`,
    "seqqa.yaml": `db_url: ${dbUrl}\ntarget:\n  command: node server.mjs\n`,
  });
  linkPackages(folder, "seqqa");
  const databases = async (): Promise<readonly unknown[]> =>
    (await onPostgres(dbUrl, "select datname from pg_database")).map(({ datname }) => datname);
  const kill = async (): Promise<string> => {
    const suite = startNode(["suite.mjs", dbUrl], { cwd: folder });
    await until(() => suite.said.stdout.includes("\n"), "a world");
    suite.child.kill("SIGKILL");
    await suite.ended;
    return suite.said.stdout.trim();
  };
  // Other tests open worlds on the same server, too, and may be the next one.
  const first = await kill();
  expect(await seqqa(["clean", folder])).toMatchObject({ status: 0, stderr: "" });
  expect(await databases()).not.toContain(first);

  const second = await kill();
  const next = await startNode(["suite.mjs", dbUrl, "once"], { cwd: folder }).ended;
  expect([next.status, next.stderr]).toEqual([0, ""]);
  const after = await databases();
  expect(after).not.toContain(second);
  expect(after).not.toContain(next.stdout.trim());
  const run = second.split("_")[1]!;
  for (const base of ["/dev/shm", "/tmp"].map((one) => join(one, `seqqa-${process.getuid!()}`)).filter(existsSync))
    expect(readdirSync(base)).not.toContain(`run-${run}`);
});
