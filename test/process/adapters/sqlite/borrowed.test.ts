import { existsSync, readdirSync, readFileSync, readlinkSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { Worker } from "node:worker_threads";
import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import type { StoreUse } from "../../../../src/model/stores/store-provider.ts";
import type { RowImages } from "../../../../src/model/stores/leftover.ts";
import { dumpDatabase } from "../../../../src/adapters/sqlite/read/dump.ts";
import { cloneSqliteFile, SqliteAdapter, stores } from "../../../../src/adapters/sqlite/index.ts";
import { Random } from "../../../contract/system/random.ts";
import { SCHEMA, SEED } from "../../../contract/system/sqlite-world.ts";
import { size } from "../../../sizes.ts";
import { doomedRuns } from "./other-process.ts";
import { api, openAdapter, SCOPE, scratchFile } from "../../../support/sqlite-scratch.ts";

const runs = doomedRuns();
const BORROWED = { borrowed: true };
const LEASE_OVER = expect.objectContaining({ code: "LEASE_OVER", exitStatus: 3 }) as Error;
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

describe.each(["journal", "savepoint"] as const)("%s: close leaves a user's file as open found it", (checkpoint) => {
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

describe("a run that is killed", () => {
  test("in any moment, is refused by the next open, and undone by clean", async () => {
    for (let round = 0; round < size(1, 60); round++) {
      const file = world();
      const before = everything(file);
      const run = await runs.start(file, "busy", round + 1);
      await new Promise((resolve) => setTimeout(resolve, new Random(round).below(120)));
      await run.kill();
      const left = everything(file);
      expect(left).not.toEqual(before);
      const { undo = [], keep = [] } = (await stores.clean(`sqlite:${file}`, { dryRun: true })).leftover ?? {};
      if (undo.length + keep.length > 0) {
        expect(() => new SqliteAdapter({ file }).open({ ...SCOPE, ...BORROWED })).toThrow(
          expect.objectContaining({ code: "STORE_LEFT", exitStatus: 2, hint: expect.stringContaining("`seqqa clean`") as string }) as Error,
        );
      }
      expect(everything(file)).toEqual(left);
      const { leftover } = await stores.clean(`sqlite:${file}`);
      expect([leftover?.undo, leftover?.keep], `round ${round}`).toEqual([undo, keep]);
      // Written and not recorded when it died: nobody can tell whose it was.
      if (keep.length === 0) expect(everything(file), `round ${round}`).toEqual(before);
      expect(everything(file)[1], `round ${round}`).toEqual(before[1]);
    }
  });

  test("while it opens the file, too", async () => {
    for (let round = 0; round < size(1, 60); round++) {
      const file = world();
      const before = everything(file);
      const run = await runs.start(file, "busy", round + 1, false);
      // Its target comes first, with a connection of its own.
      while (filesOf(run.pid).filter((path) => path === file).length < 2) await new Promise((resolve) => setTimeout(resolve, 0));
      for (const end = performance.now() + new Random(round).below(12); performance.now() < end;);
      await run.kill();
      const { leftover } = await stores.clean(`sqlite:${file}`);
      if (leftover === undefined || leftover.keep.length === 0) expect(everything(file), `round ${round}`).toEqual(before);
    }
  });

  test("is put back by clean, which says so once; a living one is left alone", async () => {
    const file = world();
    const run = await runs.start(file, "busy", 5);
    expect(await stores.clean(`sqlite:${file}`)).toEqual({
      removed: [],
      inUse: expect.stringContaining("is using the SQLite file") as string,
    });
    await run.kill();
    const use = async (inPlace: boolean): Promise<unknown> =>
      (await stores.check(`sqlite:${file}`, { inPlace, inProcess: false })).find(({ what }) => what === "use");
    // Lanes get the content from before the run.
    for (const inPlace of [true, false])
      expect(await use(inPlace)).toMatchObject({ ok: !inPlace, says: expect.stringContaining("`seqqa clean`") as string });
    expect((await stores.clean(`sqlite:${file}`)).removed).toEqual([`tables and triggers of a dead run in ${file}`]);
    expect(await stores.clean(`sqlite:${file}`)).toEqual({ removed: [], leftover: undefined });
  });

  test("keeps others off while it lives", async () => {
    const file = world();
    const run = await runs.start(file, "busy", 6);
    const opening = (async () => new SqliteAdapter({ file }).open({ ...SCOPE, ...BORROWED }))();
    await expect(opening).rejects.toMatchObject({
      code: "STORE_IN_USE",
      exitStatus: 2,
      message: expect.stringContaining(`process ${run.pid} on `) as string,
    });
    await run.kill();
  });

  test("is not in the copies that lanes get of the file", async () => {
    const file = world();
    const before = everything(file);
    const run = await runs.start(file, "quiet", 7);
    await run.kill();
    const lane = scratchFile();
    cloneSqliteFile(file, lane);
    expect(everything(lane).slice(0, 2)).toEqual(before.slice(0, 2));
    expect(everything(file)).not.toEqual(before);
  });
});

describe("what the user writes", () => {
  /** A run that stands in a state that it recorded: order 1 is deleted, 2 changed, 3 and 4 are new. */
  async function standing(): Promise<{ file: string; user: Database.Database; adapter: SqliteAdapter; before: readonly unknown[] }> {
    const file = scratchFile();
    const user = api(file, ...SHOP);
    const before = everything(file);
    const adapter = await openAdapter(file, {}, BORROWED);
    await adapter.root();
    const root = await adapter.mark();
    user.exec(`delete from items where id = 1; delete from orders where id = 1; update orders set status = 'paid' where id = 2;
      insert into orders(status, code) values('new', 'c'), ('new', 'd'); insert into items(order_id) values(3)`);
    await adapter.changed(root);
    user.exec("update seqqa_owner set pid = 0");
    return { file, user, adapter, before };
  }
  const SHOP = [
    "create table orders(id integer primary key autoincrement, status text, code text unique)",
    "create table items(id integer primary key autoincrement, order_id integer not null references orders(id))",
    "insert into orders(status, code) values('a', 'a'), ('b', 'b')",
    "insert into items(order_id) values(1)",
  ];
  const listed = (rows: readonly RowImages[] | undefined): string[] => (rows ?? []).map(({ table, key }) => `${table} ${key}`).sort();

  test("after the run died stays, with what it refers to; all else goes back", async () => {
    const { file, user, adapter } = await standing();
    user.exec(`update orders set status = 'mine' where id = 2; insert into orders(status, code) values('mine', 'e');
      insert into items(order_id) values(4), (5)`);
    const dump = everything(file);
    const dry = await stores.clean(`sqlite:${file}`, { dryRun: true });
    expect(everything(file)).toEqual(dump);
    const told: unknown[] = [];
    const { leftover } = await stores.clean(`sqlite:${file}`, { onKept: (one) => void told.push(one) });
    expect(leftover).toEqual(dry.leftover);
    expect(told).toEqual([leftover]);
    expect(listed(leftover?.undo)).toEqual(["items id 1", "items id 2", "orders id 1", "orders id 3"]);
    expect(listed(leftover?.keep)).toEqual(["items id 3", "items id 4", "orders id 2", "orders id 4", "orders id 5"]);
    expect(leftover?.keep).toContainEqual({
      table: "orders",
      key: "id 2",
      root: { id: 2, status: "b", code: "b" },
      recorded: { id: 2, status: "paid", code: "b" },
      now: { id: 2, status: "mine", code: "b" },
    });
    expect(user.prepare("select id, status from orders order by id").raw().all()).toEqual([
      [1, "a"],
      [2, "mine"],
      [4, "new"],
      [5, "mine"],
    ]);
    expect(user.prepare("select id, order_id from items order by id").raw().all()).toEqual([
      [1, 1],
      [3, 4],
      [4, 5],
    ]);
    expect(user.prepare("select name, seq from sqlite_sequence order by name").raw().all()).toEqual([
      ["items", 4],
      ["orders", 5],
    ]);
    expect(user.prepare("pragma foreign_key_check").all()).toEqual([]);
    expect(() => adapter.close()).toThrow(LEASE_OVER);
  });

  test("in the place of a row that the run deleted or changed stays", async () => {
    const { file, user, adapter } = await standing();
    user.exec("insert into orders(id, status, code) values(1, 'mine', 'z'); update orders set code = 'q' where id = 3");
    user.exec("delete from items where id = 2; insert into orders(id, status, code) values(9, 'mine', 'x')");
    const { leftover } = await stores.clean(`sqlite:${file}`);
    expect(user.prepare("select id, status, code from orders order by id").raw().all()).toEqual([
      [1, "mine", "z"],
      [2, "b", "b"],
      [3, "new", "q"],
      [9, "mine", "x"],
    ]);
    expect(listed(leftover?.undo)).toEqual(["items id 1", "orders id 2", "orders id 4"]);
    expect(() => adapter.close()).toThrow(LEASE_OVER);
  });

  test("a unique value of a row that the run deleted is taken: that row does not come back", async () => {
    const { file, user, adapter } = await standing();
    user.exec("insert into orders(id, status, code) values(7, 'mine', 'a')");
    const { leftover } = await stores.clean(`sqlite:${file}`);
    expect(listed(leftover?.keep)).toEqual(["items id 1", "orders id 1", "orders id 7"]);
    expect(leftover?.keep.find(({ key, table }) => `${table} ${key}` === "orders id 1")?.why).toBe(
      "the store refuses a row (UNIQUE constraint failed: orders.code)",
    );
    expect(user.prepare("select id from orders order by id").pluck().all()).toEqual([2, 7]);
    expect(user.prepare("pragma foreign_key_check").all()).toEqual([]);
    expect(() => adapter.close()).toThrow(LEASE_OVER);
  });

  test("when the lease is over is not logged any more; the run touches nothing, and the file can be cleaned", async () => {
    const file = scratchFile();
    const user = api(file, ...SHOP);
    const adapter = await openAdapter(file, {}, BORROWED);
    await adapter.root();
    const root = await adapter.mark();
    user.exec("delete from items; update orders set status = 'run' where id = 1");
    await adapter.changed(root);
    user.exec("update seqqa_lease set until = 0");
    user.exec("update orders set status = 'mine' where id = 2; insert into orders(status) values('mine')");
    expect(user.prepare("select count(*) from seqqa_log").pluck().get()).toBe(0);
    for (const touch of [() => adapter.restore(root), () => adapter.mark(), () => adapter.changed(root), () => adapter.close()])
      expect(touch).toThrow(LEASE_OVER);
    // Although its process lives.
    const { leftover } = await stores.clean(`sqlite:${file}`);
    expect([listed(leftover?.undo), listed(leftover?.keep)]).toEqual([["items id 1", "orders id 1"], []]);
    expect(user.prepare("select id, status from orders order by id").raw().all()).toEqual([
      [1, "a"],
      [2, "mine"],
      [3, "mine"],
    ]);
    expect(everything(file)[1]).not.toContainEqual(expect.stringContaining("seqqa"));
  });

  test.each(["at a checkpoint", "at its end", "at its end after an error"])(
    "a run that was suspended leaves the journal of the next run alone, %s",
    async (when) => {
      const file = scratchFile();
      const target = api(file, ...SHOP);
      const suspended = await openAdapter(file, {}, { ...BORROWED, asked: () => 0 });
      await suspended.root();
      const was = await suspended.mark();
      if (when === "at its end after an error") {
        target.exec("update orders set status = 'mine' where id = 1");
        expect(() => suspended.mark()).toThrow(expect.objectContaining({ code: "FOREIGN_WRITE" }) as Error);
      }
      target.exec("update seqqa_lease set until = 0");
      await stores.clean(`sqlite:${file}`);
      const before = everything(file);
      const next = await openAdapter(file, {}, BORROWED);
      await next.root();
      const root = await next.mark();
      target.exec("update orders set status = 'run' where id = 1");
      const touches = [() => suspended.restore(was), () => suspended.mark(), () => suspended.changed(was)];
      if (when === "at a checkpoint") for (const touch of touches) expect(touch).toThrow(LEASE_OVER);
      expect(() => suspended.close()).toThrow(LEASE_OVER);
      expect(await next.changed(root)).toBe(true);
      await next.close();
      expect(everything(file)).toEqual(before);
    },
  );

  test("by a clock that is ahead is not logged, which ends the run; what was logged is restored", async () => {
    for (const when of ["before a look", "at the end"]) {
      const file = scratchFile();
      const target = api(file, ...SHOP);
      const adapter = await openAdapter(file, {}, BORROWED);
      await adapter.root();
      const root = await adapter.mark();
      target.exec("update orders set status = 'run' where id = 1");
      await adapter.changed(root);
      target.function("strftime", { varargs: true }, () => String(Math.round(Date.now() / 1000) + 3600));
      target.exec("update orders set status = 'unlogged' where id = 2; delete from items");
      const differs = expect.objectContaining({
        code: "CLOCK_DIFFERS",
        exitStatus: 3,
        message: expect.stringContaining("3600 s ahead") as string,
      }) as Error;
      if (when === "before a look")
        for (const look of [() => adapter.changed(root), () => adapter.restore(root)]) expect(look).toThrow(differs);
      expect(() => adapter.close()).toThrow(differs);
      expect(target.prepare("select status from orders order by id").pluck().all()).toEqual(["a", "unlogged"]);
      expect(everything(file)[1]).not.toContainEqual(expect.stringContaining("seqqa"));
    }
  });

  test("to a table that is ignored and refers to a table that is not, is refused before anything is installed", async () => {
    const file = scratchFile();
    api(file, ...SHOP, "create table audit(id integer primary key, order_id integer references orders)");
    const before = everything(file);
    const refused = expect.objectContaining({ code: "IGNORE_REFERS", exitStatus: 2 }) as Error;
    await expect(openAdapter(file, { ignore: ["audit"] }, BORROWED)).rejects.toThrow(refused);
    expect(everything(file)).toEqual(before);
    const both = await openAdapter(file, { ignore: ["audit", "orders"] }, BORROWED);
    await both.close();
    const own = await openAdapter(file, { ignore: ["audit"] });
    await own.close();
  });

  test("to an ignored table whose deleted rows take rows of another table along, is refused; names count without case", async () => {
    const file = scratchFile();
    const child = (action: string): string => `create table lines(id integer primary key, who integer references Users(ID) ${action})`;
    const user = api(file, "create table users(id integer primary key)", child("on delete set null"));
    const refused = expect.objectContaining({
      code: "IGNORE_REFERS",
      message: expect.stringContaining('Table "users" of') as string,
    }) as Error;
    await expect(openAdapter(file, { ignore: ["users"] }, BORROWED)).rejects.toThrow(refused);
    await (await openAdapter(file, { ignore: ["users", "lines"] }, BORROWED)).close();
    user.exec(`drop table lines; ${child("")}`);
    await (await openAdapter(file, { ignore: ["users"] }, BORROWED)).close();
  });

  test("before the run read the file for the first time ends the run, and stays", async () => {
    const file = scratchFile();
    const user = api(file, ...SHOP);
    const adapter = await openAdapter(file, {}, { ...BORROWED, asked: () => 0 });
    user.exec("insert into orders(status) values('mine')");
    expect(() => adapter.root()).toThrow(expect.objectContaining({ code: "FOREIGN_WRITE" }) as Error);
    expect(() => adapter.close()).toThrow(expect.objectContaining({ code: "ROWS_KEPT" }) as Error);
    for (const name of readdirSync(".").filter((one) => one.startsWith("seqqa-kept-"))) rmSync(name);
    expect(user.prepare("select count(*) from orders where status = 'mine'").pluck().get()).toBe(1);
  });

  test("while the run asks for nothing ends the run, and stays", async () => {
    const file = scratchFile();
    const user = api(file, ...SHOP);
    let asked: number | undefined = 1;
    const adapter = await openAdapter(file, {}, { ...BORROWED, asked: () => asked });
    await adapter.root();
    const root = await adapter.mark();
    asked = 2;
    user.exec("update orders set status = 'run' where id = 1");
    expect(await adapter.changed(root)).toBe(true);
    asked = undefined;
    user.exec("update orders set status = 'run too' where id = 1");
    await adapter.changed(root);
    asked = 2;
    user.exec("insert into orders(status) values('run three')");
    // Something was under way at the last look.
    await adapter.changed(root);
    user.exec("insert into orders(status) values('mine')");
    const foreign = expect.objectContaining({
      code: "FOREIGN_WRITE",
      exitStatus: 3,
      message: expect.stringMatching(/orders id 4, seen at 2\d{3}-.* seqqa keeps these changes/) as string,
    }) as Error;
    for (const touch of [() => adapter.restore(root), () => adapter.mark()]) expect(touch).toThrow(foreign);
    const folder = process.cwd();
    process.chdir(dirname(file));
    try {
      expect(() => adapter.close()).toThrow(expect.objectContaining({ code: "ROWS_KEPT", exitStatus: 3 }) as Error);
      const [name = ""] = readdirSync(".").filter((one) => one.startsWith("seqqa-kept-"));
      expect(statSync(name).mode & 0o777).toBe(0o600);
      expect(JSON.parse(readFileSync(name, "utf8"))).toMatchObject({
        store: `the SQLite file ${file}`,
        rows: [{ table: "orders", key: "id 4", root: null, recorded: null, now: { id: 4, status: "mine", code: null } }],
      });
    } finally {
      process.chdir(folder);
    }
    expect(user.prepare("select id, status from orders order by id").raw().all()).toEqual([
      [1, "a"],
      [2, "b"],
      [4, "mine"],
    ]);
    expect(user.prepare("select seq from sqlite_sequence").pluck().get()).toBe(4);
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
    await adapter.mark();
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
    // A lane of this very run: it is put back, and taken up again.
    const next = await openAdapter(file, {}, BORROWED);
    expect(target.prepare("select count(*) from orders").pluck().get()).toBe(2);
    await next.close();
    expect(everything(file)).toEqual(before);
    expect(() => adapter.close()).toThrow(LEASE_OVER);
  });

  test("another machine cannot be asked; its user can say that it is over", async () => {
    const file = scratchFile();
    const target = api(file, ...ORDERS);
    const before = everything(file);
    const adapter = await openAdapter(file, {}, BORROWED);
    target.exec("delete from orders");
    await adapter.mark();
    target.exec("update seqqa_owner set host = 'elsewhere\u001b[31m'");
    const open = (): unknown => new SqliteAdapter({ file }).open({ ...SCOPE, ...BORROWED });
    expect(open).toThrow(
      expect.objectContaining({
        code: "STORE_IN_USE",
        message: expect.stringContaining("on elsewhere?[31m).") as string,
        hint: expect.stringContaining("update seqqa_owner set pid = 0") as string,
      }) as Error,
    );
    expect(await stores.clean(`sqlite:${file}`)).toEqual({
      removed: [],
      inUse: expect.stringContaining("is using the SQLite file") as string,
    });
    target.exec("update seqqa_owner set pid = 0");
    expect((await stores.clean(`sqlite:${file}`)).removed).toHaveLength(1);
    expect(everything(file)).toEqual(before);
    expect(() => adapter.close()).toThrow(LEASE_OVER);
  });

  test("a restart of the target's machine ends all runs on it", async () => {
    const file = scratchFile();
    const target = api(file, ...ORDERS);
    const before = everything(file);
    const adapter = await openAdapter(file, {}, BORROWED);
    target.exec("delete from orders");
    await adapter.mark();
    target.exec("update seqqa_owner set boot = 'an earlier one'");
    expect((await stores.clean(`sqlite:${file}`)).removed).toHaveLength(1);
    expect(everything(file)).toEqual(before);
    expect(() => adapter.close()).toThrow(LEASE_OVER);
  });
});

test.each(["at the next look", "at the end", "after a kill"])(
  "rows that a VACUUM gave new row ids are kept and listed, %s",
  async (when) => {
    const file = scratchFile();
    const target = api(file, ...ORDERS, "create table log(m)", "insert into log(rowid, m) values(1, 'a'), (5, 'b')");
    const adapter = await openAdapter(file, {}, BORROWED);
    await adapter.root();
    const root = await adapter.mark();
    target.exec("insert into log values('run'); update orders set status = 'run'");
    await adapter.changed(root);
    target.exec("vacuum");
    if (when === "after a kill") {
      target.exec("update seqqa_owner set pid = 0");
      const { leftover } = await stores.clean(`sqlite:${file}`);
      expect(leftover?.keep.map(({ recorded }) => recorded)).toEqual([{ m: "run" }]);
      expect(() => adapter.close()).toThrow(LEASE_OVER);
    } else {
      const changed = expect.objectContaining({
        code: "SCHEMA_CHANGED",
        message: expect.stringContaining('VACUUM gave new row ids to table "log"') as string,
      }) as Error;
      if (when === "at the next look")
        for (const look of [() => adapter.changed(root), () => adapter.restore(root)]) expect(look).toThrow(changed);
      const folder = process.cwd();
      process.chdir(dirname(scratchFile()));
      try {
        expect(() => adapter.close()).toThrow(
          expect.objectContaining({ code: "ROWS_KEPT", message: expect.stringContaining("log ") as string }) as Error,
        );
      } finally {
        process.chdir(folder);
      }
    }
    expect(target.prepare("select m from log").pluck().all()).toEqual(["a", "b", "run"]);
    expect(target.prepare("select status from orders").pluck().all()).toEqual(["a", "b"]);
  },
);

test("a foreign key that names a column or table which does not exist is no obstacle", async () => {
  const file = scratchFile();
  const target = api(
    file,
    "create table users(id integer primary key)",
    "create table orders(id integer primary key, user_id references users(uid), other references missing)",
    "insert into users values(1)",
  );
  target.pragma("foreign_keys = off");
  const before = everything(file);
  const adapter = await openAdapter(file, {}, BORROWED);
  await adapter.root();
  target.exec("insert into orders values(1, 1, 1); delete from users");
  await adapter.mark();
  await adapter.close();
  expect(everything(file)).toEqual(before);
});

describe("what cannot be put back is said, and left for the user", () => {
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

test("a table of the user's whose name begins like ours is left alone", async () => {
  const file = scratchFile();
  const target = api(file, ...ORDERS, "create table seqqa_results(a)", "insert into seqqa_results values(1)");
  const adapter = await openAdapter(file, {}, BORROWED);
  await adapter.root();
  await adapter.close();
  expect(target.prepare("select a from seqqa_results").pluck().all()).toEqual([1]);
});

describe("what is kept", () => {
  test("is the rows that are not what they were, and no more", async () => {
    const file = scratchFile();
    const target = api(file, ...ORDERS);
    const adapter = await openAdapter(file, {}, BORROWED);
    await adapter.root();
    const root = await adapter.mark();
    const kept = target.prepare("select count(*) from seqqa_kept").pluck();
    for (let i = 0; i < 20; i++) {
      target.exec("update orders set status = 'x' where id = 2; insert into orders(status) values('new')");
      await adapter.changed(root);
      expect(kept.get()).toBe(2);
      await adapter.restore(root);
      expect(kept.get()).toBe(0);
    }
    await adapter.close();
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
    const inPlace = { inPlace: true, inProcess: false };
    const says = async (what: string, use?: StoreUse): Promise<unknown> =>
      (await stores.check(`sqlite:${file}`, use)).filter((one) => one.what === what).map((one) => [one.ok, one.says]);
    expect(await says("checkpoint")).toEqual([[true, "auto chooses journal, because the target opens its own connections."]]);
    expect(await says("busy_timeout")).toEqual([[true, expect.stringContaining("SQLITE_BUSY")]]);
    expect(await says("use")).toEqual([]);
    expect(everything(file)).toEqual(before);
    db.exec("create virtual table words using fts5(t)");
    expect(await says("checkpoint")).toEqual([[true, expect.stringMatching(/^auto chooses copy, because .*words/)]]);
    expect(await says("checkpoint", { ...inPlace, inProcess: true })).toEqual([[true, expect.stringContaining("words")]]);
    expect(await says("checkpoint", inPlace)).toEqual([
      [false, expect.stringMatching(new RegExp(`cannot be used for the SQLite file ${file}, .*"words" belongs to a virtual table`))],
    ]);
    await expect((async () => openAdapter(file, {}, BORROWED))()).rejects.toMatchObject({
      code: "CHECKPOINT_REFUSED",
      exitStatus: 2,
      message: expect.stringContaining('table "words" belongs to a virtual table') as string,
    });
    db.exec("drop table words");
    const run = await openAdapter(file, {}, BORROWED);
    expect(await says("use", inPlace)).toEqual([[false, expect.stringContaining(`process ${process.pid}`)]]);
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
