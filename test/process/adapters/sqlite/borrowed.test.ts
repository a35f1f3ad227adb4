import { existsSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { Worker } from "node:worker_threads";
import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { dumpDatabase } from "../../../../src/adapters/sqlite/dump.ts";
import { cloneSqliteFile, SqliteAdapter, stores } from "../../../../src/adapters/sqlite/index.ts";
import { Keeper, installKept, keptRows } from "../../../../src/adapters/sqlite/kept.ts";
import { TableIo } from "../../../../src/adapters/sqlite/table-io.ts";
import { planTables, type TablePlan } from "../../../../src/adapters/sqlite/table-plan.ts";
import { Random } from "../../../contract/system/random.ts";
import { SCHEMA, SEED } from "../../../contract/system/sqlite-world.ts";
import { size } from "../../../sizes.ts";
import { doomedRuns } from "./other-process.ts";
import { api, openAdapter, SCOPE, scratchFile } from "../../../support/sqlite-scratch.ts";

const runs = doomedRuns();
const BORROWED = { borrowed: true };
const ORDERS = ["create table orders(id integer primary key autoincrement, status text)", "insert into orders(status) values('a'), ('b')"];

/** Everything in a file and beside it, what is ours included. */
function everything(file: string): readonly unknown[] {
  const db = new Database(file, { readonly: true });
  try {
    const objects = db.prepare("select name from sqlite_schema order by name").pluck().all();
    return [
      dumpDatabase(db),
      objects,
      beside(file),
      db.pragma("integrity_check", { simple: true }),
      db.pragma("journal_mode", { simple: true }),
    ];
  } finally {
    db.close();
  }
}

const beside = (file: string): readonly string[] => readdirSync(dirname(file)).filter((name) => name.startsWith(`${basename(file)}-seqqa`));

/** The files that a process has open. */
function filesOf(pid: number): readonly string[] {
  return readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/${pid}/fd/${fd}`)];
    } catch {
      return [];
    }
  });
}

function world(): string {
  const file = scratchFile();
  const db = new Database(file);
  db.pragma("journal_mode = wal");
  for (const sql of [...SCHEMA, ...SEED]) db.exec(sql);
  db.close();
  return file;
}

describe.each(["journal", "copy", "savepoint"] as const)("%s: close leaves a user's file as open found it", (checkpoint) => {
  test("what setup wrote included, counters too, and nothing of ours", async () => {
    const file = scratchFile();
    const outside = api(file, ...ORDERS);
    const before = everything(file);
    const inProcess = checkpoint === "savepoint";
    const adapter = await openAdapter(file, { checkpoint }, { ...BORROWED, inProcess });
    const target = inProcess ? adapter.connection : outside;
    target.exec(
      "insert into orders(status) values('by setup'); delete from orders where id = 1; update orders set status = 'B' where id = 2",
    );
    await adapter.root();
    const mark = await adapter.mark();
    target.exec("insert into orders(status) values('explored'); delete from orders where id = 2");
    await adapter.mark();
    await adapter.restore(mark);
    expect(adapter.query("select status from orders order by id")).toEqual([{ status: "B" }, { status: "by setup" }]);
    target.exec("insert into orders(status) values('late')");
    await adapter.close();
    expect(everything(file)).toEqual(before);
  });

  test("a root that is made again included", async () => {
    const file = scratchFile();
    const outside = api(file, ...ORDERS);
    const before = everything(file);
    const inProcess = checkpoint === "savepoint";
    const adapter = await openAdapter(file, { checkpoint }, { ...BORROWED, inProcess });
    const target = inProcess ? adapter.connection : outside;
    for (let i = 0; i < 3; i++) {
      target.exec(`insert into orders(status) values('${i}'); delete from orders where id = ${i}`);
      await adapter.root();
    }
    await adapter.close();
    expect(everything(file)).toEqual(before);
  });

  test("opened again and again", async () => {
    const file = scratchFile();
    const outside = api(file, ...ORDERS);
    const before = everything(file);
    const inProcess = checkpoint === "savepoint";
    const adapter = new SqliteAdapter({ file, checkpoint });
    for (let i = 0; i < 3; i++) {
      await adapter.open({ ...SCOPE, ...BORROWED, inProcess });
      const target = inProcess ? adapter.connection : outside;
      target.exec("insert into orders(status) values('x')");
      await adapter.root();
      await adapter.close();
      expect(everything(file)).toEqual(before);
    }
  });
});

describe.each(["journal", "copy"] as const)("%s: a run that is killed", (checkpoint) => {
  test("in any moment, is put back by the next open", async () => {
    for (let round = 0; round < size(3, 60); round++) {
      const file = world();
      const before = everything(file);
      const run = await runs.start(file, checkpoint, round + 1);
      await new Promise((resolve) => setTimeout(resolve, new Random(round).below(120)));
      await run.kill();
      expect(everything(file)).not.toEqual(before);
      const adapter = await openAdapter(file, { checkpoint: round % 2 === 0 ? "journal" : "copy" }, BORROWED);
      expect(await adapter.dump(), `round ${round}`).toBe(before[0]);
      await adapter.close();
      expect(everything(file), `round ${round}`).toEqual(before);
    }
  });

  test("while it opens the file, too", async () => {
    for (let round = 0; round < size(3, 60); round++) {
      const file = world();
      const before = everything(file);
      const run = await runs.start(file, checkpoint, round + 1, false);
      // Its target comes first, with a connection of its own.
      while (filesOf(run.pid).filter((path) => path === file).length < 2) await new Promise((resolve) => setTimeout(resolve, 0));
      for (const end = performance.now() + new Random(round).below(12); performance.now() < end;);
      await run.kill();
      await stores.clean(`sqlite:${file}`);
      expect(everything(file), `round ${round}`).toEqual(before);
    }
  });

  test("is put back by clean, which says so once; a living one is left alone", async () => {
    const file = world();
    const before = everything(file);
    const run = await runs.start(file, checkpoint, 5);
    expect(await stores.clean(`sqlite:${file}`)).toEqual([]);
    await run.kill();
    const use = (await stores.check(`sqlite:${file}`)).find(({ what }) => what === "use");
    expect(use).toMatchObject({ ok: true, says: expect.stringContaining("`seqqa clean`") as string });
    expect(await stores.clean(`sqlite:${file}`)).toEqual([`what a dead run left in ${file}, whose data was put back`]);
    expect(everything(file)).toEqual(before);
    expect(await stores.clean(`sqlite:${file}`)).toEqual([]);
  });

  test("keeps others off while it lives", async () => {
    const file = world();
    const run = await runs.start(file, checkpoint, 6);
    for (const other of ["journal", "copy"] as const) {
      const opening = (async () => new SqliteAdapter({ file, checkpoint: other }).open({ ...SCOPE, ...BORROWED }))();
      await expect(opening).rejects.toMatchObject({
        code: "STORE_IN_USE",
        exitStatus: 2,
        message: expect.stringContaining(`process ${run.pid} on `) as string,
      });
    }
    await run.kill();
  });

  test("is not in the copies that lanes get of the file", async () => {
    const file = world();
    const before = everything(file);
    const run = await runs.start(file, checkpoint, 7);
    await run.kill();
    const lane = scratchFile();
    cloneSqliteFile(file, lane);
    expect(everything(lane).slice(0, 2)).toEqual(before.slice(0, 2));
    expect(everything(file)).not.toEqual(before);
  });
});

describe("owners", () => {
  test("two adapters of one thread are two owners; one that is closed is none", async () => {
    const file = scratchFile();
    api(file, ...ORDERS);
    const first = await openAdapter(file, {}, BORROWED);
    expect(() => new SqliteAdapter({ file }).open({ ...SCOPE, ...BORROWED })).toThrow(
      expect.objectContaining({ code: "STORE_IN_USE" }) as Error,
    );
    await first.close();
    await (await openAdapter(file, {}, BORROWED)).close();
  });

  test("a worker thread that was ended is dead, although its process lives", async () => {
    const file = scratchFile();
    const target = api(file, ...ORDERS);
    const before = everything(file);
    const adapter = await openAdapter(file, {}, BORROWED);
    target.exec("delete from orders");
    // As a worker of this process would have stamped it.
    const worker = new Worker(
      `const { parentPort } = require("node:worker_threads");
       const task = require("node:fs").readlinkSync("/proc/thread-self");
       const stat = require("node:fs").readFileSync("/proc/" + task + "/stat", "latin1");
       parentPort.postMessage(task + ":" + stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19]); setInterval(() => {}, 1000);`,
      { eval: true },
    );
    const thread = await new Promise<string>((resolve) => worker.once("message", resolve));
    target.prepare("update seqqa_owner set thread = ?").run(thread);
    const open = (): unknown => new SqliteAdapter({ file }).open({ ...SCOPE, ...BORROWED });
    expect(open).toThrow(expect.objectContaining({ code: "STORE_IN_USE" }) as Error);
    await worker.terminate();
    const next = await openAdapter(file, {}, BORROWED);
    await next.close();
    expect(everything(file)).toEqual(before);
    await adapter.close();
  });

  test("another machine cannot be asked; its user can say that it is over", async () => {
    const file = scratchFile();
    const target = api(file, ...ORDERS);
    const before = everything(file);
    const adapter = await openAdapter(file, {}, BORROWED);
    target.exec("delete from orders");
    target.exec("update seqqa_owner set host = 'elsewhere\u001b[31m'");
    const open = (): unknown => new SqliteAdapter({ file }).open({ ...SCOPE, ...BORROWED });
    expect(open).toThrow(
      expect.objectContaining({
        code: "STORE_IN_USE",
        message: expect.stringContaining("on elsewhere?[31m.") as string,
        hint: expect.stringContaining("update seqqa_owner set pid = 0") as string,
      }) as Error,
    );
    expect(await stores.clean(`sqlite:${file}`)).toEqual([]);
    target.exec("update seqqa_owner set pid = 0");
    expect(await stores.clean(`sqlite:${file}`)).toHaveLength(1);
    expect(everything(file)).toEqual(before);
    await adapter.close();
  });

  test("a restart of the target's machine ends all runs on it", async () => {
    const file = scratchFile();
    const target = api(file, ...ORDERS);
    const before = everything(file);
    const adapter = await openAdapter(file, {}, BORROWED);
    target.exec("delete from orders; update seqqa_owner set boot = 'an earlier one'");
    expect(await stores.clean(`sqlite:${file}`)).toHaveLength(1);
    expect(everything(file)).toEqual(before);
    await adapter.close();
  });
});

describe("what cannot be put back is said, and left for the user", () => {
  test.each([
    ["alter table orders add column more", 'table "orders" was altered'],
    ["drop table orders", 'table "orders" was dropped'],
  ])("%s", async (sql, why) => {
    const file = scratchFile();
    const target = api(file, ...ORDERS);
    const adapter = await openAdapter(file, {}, BORROWED);
    await adapter.root();
    target.exec(sql);
    expect(() => adapter.close()).toThrow(
      expect.objectContaining({ code: "STORE_NOT_PUT_BACK", message: expect.stringContaining(why) as string }) as Error,
    );
    await expect(stores.clean(`sqlite:${file}`)).rejects.toMatchObject({ code: "STORE_NOT_PUT_BACK" });
  });

  test("a table that is new stays", async () => {
    const file = scratchFile();
    const target = api(file, ...ORDERS);
    const adapter = await openAdapter(file, {}, BORROWED);
    await adapter.root();
    target.exec("create table a_new_one(a); delete from orders");
    await adapter.close();
    expect(target.prepare("select count(*) from orders").pluck().get()).toBe(2);
    expect(everything(file)[1]).toEqual(["a_new_one", "orders", "sqlite_sequence"]);
  });

  test("a copy that is gone, or is named by somebody else's token", async () => {
    const file = scratchFile();
    const target = api(file, ...ORDERS);
    const adapter = await openAdapter(file, { checkpoint: "copy" }, BORROWED);
    const [copy = ""] = beside(file);
    target.exec("update seqqa_owner set pid = 0, token = '../../etc/passwd'");
    await expect(stores.clean(`sqlite:${file}`)).rejects.toMatchObject({
      code: "STORE_NOT_PUT_BACK",
      message: expect.stringContaining("is gone") as string,
    });
    target.prepare("update seqqa_owner set token = ?").run(copy.slice(-32));
    await adapter.close();
    expect(beside(file)).toEqual([]);
  });
});

test("a busy target is waited for when the file is put back", async () => {
  const file = scratchFile();
  const target = api(file, ...ORDERS);
  const before = everything(file);
  const adapter = await openAdapter(file, {}, BORROWED);
  await adapter.root();
  target.exec("begin immediate; delete from orders");
  setTimeout(() => target.exec("commit"), 100);
  await adapter.close();
  expect(everything(file)).toEqual(before);
});

test("copies of runs that died before they had begun are removed, and nothing else", async () => {
  const file = scratchFile();
  api(file, ...ORDERS);
  const orphan = `${file}-seqqa-${"0123456789abcdef".repeat(2)}`;
  const others = [`${file}-seqqa-notes`, `${file}-seqqa-${"0123456789ABCDEF".repeat(2)}`];
  for (const path of [orphan, ...others]) writeFileSync(path, "x");
  expect(await stores.clean(`sqlite:${file}`)).toEqual([`1 copy of a dead run beside ${file}`]);
  expect([orphan, ...others].map((path) => existsSync(path))).toEqual([false, true, true]);
});

test("a table of the user's whose name begins like ours is left alone", async () => {
  const file = scratchFile();
  const target = api(file, ...ORDERS, "create table seqqa_results(a)", "insert into seqqa_results values(1)");
  const adapter = await openAdapter(file, {}, BORROWED);
  await adapter.root();
  await adapter.close();
  expect(target.prepare("select a from seqqa_results").pluck().all()).toEqual([1]);
});

describe("what is kept", () => {
  test("does not grow without end: rows that are what they were are forgotten", () => {
    const db = api(scratchFile(), "create table t(k text primary key, v) without rowid", "insert into t values('kept', 1)");
    const plans = planTables(db, undefined) as TablePlan[];
    installKept(db, plans);
    const tables = plans.map((plan) => new TableIo(db, plan));
    const keeper = new Keeper(db, 1, undefined, 10);
    db.exec("update t set v = 2");
    keeper.note(0, "t4:kept", ["kept"], ["kept", 1n]);
    for (let i = 0; i < 100; i++) {
      // A row that came and went.
      keeper.note(0, `t${i}`, [`gone ${i}`], null);
      keeper.write(tables);
      keeper.written();
      expect(keptRows(db, tables).length).toBeLessThanOrEqual(12);
    }
    expect(keptRows(db, tables)).toContainEqual({ table: 0, key: ["kept"], image: ["kept", 1n] });
  });

  test("holds what a captured state of another lane changes here for the first time", async () => {
    const [a, b] = [scratchFile(), scratchFile()];
    const target = api(a, ...ORDERS);
    api(b, ...ORDERS);
    const before = everything(b);
    const [first, second] = [await openAdapter(a, {}, BORROWED), await openAdapter(b, {}, BORROWED)];
    await first.root();
    await second.root();
    target.exec("delete from orders where id = 1; update orders set status = 'z'; insert into orders(status) values('n')");
    await second.write(structuredClone(await first.capture()));
    expect(second.query("select id, status from orders")).toEqual([
      { id: 2, status: "z" },
      { id: 3, status: "n" },
    ]);
    await second.close();
    expect(everything(b)).toEqual(before);
    await first.close();
  });
});

describe("stores", () => {
  test("a provider gives every lane a file of its own, and leaves nothing", async () => {
    const template = scratchFile();
    api(template, ...ORDERS);
    const bytes = readFileSync(template);
    const directory = dirname(template);
    const provider = stores.createProvider({ name: "my/db", url: `sqlite:${template}`, runId: "1f2e", directory });
    await provider.prepare();
    const [first, second] = [await provider.provide(0, 0), await provider.provide(1, 0)];
    expect(first).toBe(`sqlite:${join(directory, "1f2e-my%2Fdb-lane0-0.sqlite")}`);
    expect(await stores.disturb(first)).toBe("removed a row of orders");
    expect(everything(second.slice("sqlite:".length))[0]).toBe(everything(template)[0]);
    expect(everything(first.slice("sqlite:".length))[0]).not.toBe(everything(template)[0]);
    const again = await provider.provide(0, 1);
    expect(existsSync(first.slice("sqlite:".length))).toBe(false);
    expect(everything(again.slice("sqlite:".length))[0]).toBe(everything(template)[0]);
    await provider.release(1);
    await provider.close();
    await provider.close();
    expect(readdirSync(directory).filter((name) => name.startsWith("1f2e"))).toEqual([]);
    expect(readFileSync(template)).toEqual(bytes);
  });

  test("a provider says that there is no template", async () => {
    const provider = stores.createProvider({ name: "db", url: "sqlite:/nowhere/x.db", runId: "1", directory: "/tmp" });
    await expect(provider.prepare()).rejects.toMatchObject({ code: "STORE_NOT_FOUND" });
  });

  test("check says which mode auto takes and why, and leaves nothing behind", async () => {
    const file = scratchFile();
    const db = api(file, ...ORDERS);
    const before = everything(file);
    const says = async (what: string): Promise<unknown> =>
      (await stores.check(`sqlite:${file}`)).filter((one) => one.what === what).map((one) => [one.ok, one.says]);
    expect(await says("checkpoint")).toEqual([[true, "auto takes journal: the target has connections of its own."]]);
    expect(await says("busy_timeout")).toEqual([[true, expect.stringContaining("SQLITE_BUSY")]]);
    expect(await says("use")).toEqual([]);
    expect(everything(file)).toEqual(before);
    db.exec("create virtual table words using fts5(t)");
    expect(await says("checkpoint")).toEqual([[true, expect.stringMatching(/^auto takes copy: .*words/)]]);
    const run = await openAdapter(file, {}, BORROWED);
    expect(await says("use")).toEqual([[false, expect.stringContaining(`process ${process.pid}`)]]);
    await run.close();
  });

  test("check never throws", async () => {
    const broken = scratchFile();
    writeFileSync(broken, "no database, whatever its name says".repeat(50));
    for (const path of [broken, "/nowhere/x.db"]) {
      expect(await stores.check(`sqlite:${path}`)).toEqual([
        { ok: false, what: "reachable", says: expect.stringContaining(path) as string },
      ]);
    }
  });
});
