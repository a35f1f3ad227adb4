import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { full, size, some } from "../sizes.ts";
import { dumpDatabase } from "../../src/adapters/sqlite/read/dump.ts";
import { documentOf, folderWith, only, seqqa, start, startNode, until } from "../support/e2e.ts";

/** Orders whose ids never come again, with what happened to them, by triggers of the API's own. */
const SERVER = `
import { createServer } from "node:http";
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
const Database = createRequire(${JSON.stringify(import.meta.url)})("better-sqlite3");

const db = new Database(process.env.DB_PATH, { timeout: 5000 });
db.pragma("foreign_keys = on");
const all = db.prepare("SELECT * FROM orders");
const add = db.prepare("INSERT INTO orders (status) VALUES (?) RETURNING *");
const pay = db.prepare("UPDATE orders SET status = status || '+' WHERE id = (SELECT max(id) FROM orders)");
const cancel = db.prepare("DELETE FROM orders WHERE id = (SELECT min(id) FROM orders)");

createServer((request, response) => {
  const done = { "/orders": () => add.get("new"), "/pay": () => pay.run(), "/cancel": () => cancel.run() };
  const body = request.method === "GET" ? all.all() : done[request.url]();
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
}).listen(0, "127.0.0.1", function () { writeFileSync(process.env.ANNOUNCE, String(this.address().port)); });
`;

const TRIGGERS = `CREATE TRIGGER born AFTER INSERT ON orders BEGIN INSERT INTO events VALUES (NEW.id, 'born'); END;
  CREATE TRIGGER died BEFORE DELETE ON orders BEGIN INSERT INTO events VALUES (NULL, 'died ' || OLD.id); END;`;
const SCHEMA = `PRAGMA journal_mode = WAL;
  CREATE TABLE orders (id INTEGER PRIMARY KEY AUTOINCREMENT, status TEXT NOT NULL);
  CREATE TABLE events (order_id INTEGER REFERENCES orders ON DELETE SET NULL, what TEXT);
  ${TRIGGERS}
  INSERT INTO orders (status) VALUES ('mine'), ('mine, too')`;

/** What `setup` makes is part of the root, and must not stay in the user's file. */
const EXPLORATION = `import { Action, Agent } from "seqqa";
export const agent = new Agent({
  setup: async (world) => {
    await world.api.post("/orders");
    await world.api.post("/cancel");
  },
  actions: ["orders", "pay", "cancel"].map((name) => new Action({ name, run: async (api) => api.post("/" + name) })),
  invariants: [],
});
`;

interface Place {
  readonly cwd: string;
  readonly file: string;
  readonly baseUrl: string;
  /** What the file was before anybody explored. */
  readonly before: readonly unknown[];
}

async function place(
  checkpoint: string,
  cwd: string = folderWith({ "orders.explore.ts": EXPLORATION }),
  name = "orders",
  base = `${name}.test.db`,
): Promise<Place> {
  const file = join(cwd, base);
  const seed = new Database(file);
  seed.exec(SCHEMA);
  seed.close();
  const [announced, server] = [join(cwd, `${name}.port`), join(cwd, `${name}.mjs`)];
  writeFileSync(server, SERVER);
  startNode([server], { cwd, env: { DB_PATH: file, ANNOUNCE: announced } });
  await until(() => existsSync(announced) && readFileSync(announced, "utf8") !== "", "a running server");
  const baseUrl = `http://127.0.0.1:${readFileSync(announced, "utf8")}`;
  writeFileSync(join(cwd, "seqqa.yaml"), `base_url: ${baseUrl}\nsystems:\n  db:\n    url: sqlite:${base}\n    checkpoint: ${checkpoint}\n`);
  return { cwd, file, baseUrl, before: everything(file) };
}

/** Everything in a file and beside it, what is ours included. */
function everything(file: string): readonly unknown[] {
  const db = new Database(file, { readonly: true });
  try {
    const names = db.prepare("SELECT name FROM sqlite_schema ORDER BY name").pluck().all();
    const beside = readdirSync(dirname(file)).filter((name) => name.startsWith(`${basename(file)}-seqqa`));
    return [dumpDatabase(db), names, beside, db.pragma("integrity_check", { simple: true })];
  } finally {
    db.close();
  }
}

const run = ["run", ".", "--reporter", "json", "--output", "out", "--max-steps"];
const STEPS = String(size(12, 60));

/** Explores a bounded number of steps; gives the digest. */
async function explored({ cwd }: Place, ...args: readonly string[]): Promise<string> {
  const ran = await seqqa([...run, STEPS, ...args], { cwd });
  expect({ status: ran.status, stderr: ran.stderr }).toEqual({ status: 0, stderr: "" });
  const result = only(documentOf(ran));
  expect(result).toMatchObject({ stopReason: "max_steps", divergences: [], errors: [] });
  return result.digest;
}

/** Explores without an end, until the store is in the middle of it. */
async function inTheMiddle(files: readonly string[], cwd: string, ...args: readonly string[]): Promise<ReturnType<typeof start>> {
  const running = start([...run, "1000000", ...args], { cwd });
  for (const file of files) {
    await until(
      () => {
        if (running.child.exitCode !== null) throw new Error(`It ended: ${running.said.stderr}`);
        return /text "new\+\+/.test(String(everything(file)[0]));
      },
      "a state that no put-back has left",
      30_000,
    );
  }
  return running;
}

describe("the store of a running target", () => {
  it("ends as it began, setup and counters included", async () => {
    const at = await place("auto");
    await explored(at);
    expect(everything(at.file)).toEqual(at.before);
    // Its server goes on with it, and gives the ids that it would have given.
    const order = (await (await fetch(`${at.baseUrl}/orders`, { method: "POST" })).json()) as unknown;
    expect(order).toEqual({ id: 3, status: "new" });
  });

  // In the quick suite e2e/processes ends runs by SIGTERM.
  it.each(some(["SIGHUP", "SIGTERM"] as const, 1))("is put back by a run that a %s ends, however often it comes", async (signal) => {
    const at = await place("auto");
    const interrupted = await inTheMiddle([at.file], at.cwd);
    interrupted.child.kill(signal);
    // A closed terminal sends several. A second SIGTERM would ask for an end at once.
    for (let times = 0; signal === "SIGHUP" && times < 3; times++) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      interrupted.child.kill(signal);
    }
    const ended = await interrupted.ended;
    expect(ended).toMatchObject({ status: 130, signal: null });
    expect({ ...everything(at.file), said: ended.stderr }).toEqual({ ...at.before, said: expect.any(String) });
  });

  it("after a SIGKILL, no run begins in it until clean was asked; a living run is left alone, and keeps others off", async () => {
    const at = await place("auto");
    const digest = full ? await explored(at) : expect.any(String);
    const living = await inTheMiddle([at.file], at.cwd);
    // It may find what other tests have killed.
    const unneeded = await seqqa(["clean"], { cwd: at.cwd });
    expect([unneeded.status, unneeded.stdout]).toEqual([3, expect.not.stringMatching(/goes back|restored/)]);
    expect(unneeded.stdout).toMatch(/is using the SQLite file .*orders\.test\.db .* seqqa clean did not change this store/);
    const other = await seqqa([...run, STEPS], { cwd: at.cwd });
    expect(other.status).toBe(2);
    expect(`${other.stdout}${other.stderr}`).toMatch(
      new RegExp(`Another run of seqqa is using the SQLite file .*orders\\.test\\.db \\(process ${living.pid} on `),
    );
    living.child.kill("SIGKILL");
    await living.ended;
    const left = everything(at.file);
    expect(left).not.toEqual(at.before);
    const next = await seqqa([...run, STEPS], { cwd: at.cwd });
    expect(next.status).toBe(2);
    expect(`${next.stdout}${next.stderr}`).toMatch(
      /A run was killed while it was changing the SQLite file .*orders\.test\.db .*`seqqa clean`/s,
    );
    const unasked = await seqqa(["clean"], { cwd: at.cwd });
    expect(unasked).toMatchObject({ status: 2, stderr: expect.stringContaining("run seqqa clean --yes.") as string });
    expect(everything(at.file)).toEqual(left);
    await cleaned([at]);
    expect(await explored(at)).toEqual(digest);
  });
});

/** The images that `clean` wrote of the rows that stay. */
interface Kept {
  readonly store: string;
  readonly rows: readonly { readonly table: string; readonly key: string; readonly root: Readonly<Record<string, unknown>> | null }[];
}

/** Cleans up after a run that was killed. A row that it had written and not recorded stays; the test puts it back as its user would. */
async function cleaned(places: readonly Place[]): Promise<void> {
  const { status, stdout } = await seqqa(["clean", "--yes"], { cwd: places[0]!.cwd });
  expect(stdout).toMatch(/goes back {2}orders/);
  expect(status).toBe(/^ {2}stays/m.test(stdout) ? 3 : 0);
  for (const { file, before, cwd } of places) {
    const kept = readdirSync(cwd)
      .filter((name) => name.startsWith("seqqa-kept-"))
      .map((name) => JSON.parse(readFileSync(join(cwd, name), "utf8")) as Kept)
      .find(({ store }) => store.includes(basename(file)));
    if (kept === undefined) expect(everything(file)).toEqual(before);
    else putBack(file, kept.rows);
    const [names, rows] = [everything(file)[1], rowsOf(file)];
    expect({ names, rows }).toEqual({ names: before[1], rows: SEEDED });
  }
}

const SEEDED = [
  { id: 1, status: "mine" },
  { id: 2, status: "mine, too" },
  { rowid: 1, order_id: 1, what: "born" },
  { rowid: 2, order_id: 2, what: "born" },
];

function rowsOf(file: string): readonly unknown[] {
  const db = new Database(file, { readonly: true });
  try {
    return [...db.prepare("SELECT * FROM orders ORDER BY id").all(), ...db.prepare("SELECT rowid, * FROM events ORDER BY rowid").all()];
  } finally {
    db.close();
  }
}

function putBack(file: string, rows: Kept["rows"]): void {
  const db = new Database(file);
  db.pragma("foreign_keys = off");
  db.exec("DROP TRIGGER born; DROP TRIGGER died");
  for (const { table, key, root } of rows) {
    const id = Number(/^(?:id|rowid) (\d+)$/.exec(key)?.[1]);
    db.prepare(`DELETE FROM ${table} WHERE rowid = ?`).run(id);
    if (root !== null && table === "orders") db.prepare("INSERT INTO orders VALUES (?, ?)").run(id, root["status"]);
    if (root !== null && table === "events")
      db.prepare("INSERT INTO events (rowid, order_id, what) VALUES (?, ?, ?)").run(id, root["order_id"], root["what"]);
  }
  db.exec(TRIGGERS);
  db.close();
}

// In the quick suite one lane is killed above, and e2e/processes puts two lanes back.
it.runIf(full)("the stores of two running lanes are put back after a SIGKILL", async () => {
  const cwd = folderWith({ "orders.explore.ts": EXPLORATION });
  const lanes = [await place("auto", cwd, "one"), await place("auto", cwd, "two")];
  const listed = lanes.map(({ baseUrl, file }) => `  - base_url: ${baseUrl}\n    db_url: sqlite:${file}\n`);
  writeFileSync(join(cwd, "seqqa.yaml"), `lanes:\n${listed.join("")}`);
  const files = lanes.map(({ file }) => file);
  const killed = await inTheMiddle(files, cwd, "--parallel", "2");
  killed.child.kill("SIGKILL");
  await killed.ended;
  await cleaned(lanes);
});

it("a row that somebody else writes during a run ends it, and stays; what the run wrote goes", async () => {
  const at = await place("auto");
  const running = await inTheMiddle([at.file], at.cwd);
  const user = new Database(at.file, { timeout: 5000 });
  const add = user.prepare("INSERT INTO orders (status) VALUES ('by the user') RETURNING id").pluck();
  let last: unknown;
  // One that comes while a request of the run is under way is taken for that request's.
  while (running.child.exitCode === null) {
    last = add.get();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const later = add.get();
  const ended = await running.ended;
  expect(ended.status).toBe(3);
  const said =
    /Something wrote to .*orders\.test\.db while this run sent no request: .*?\borders id (\d+).*, seen at 2.* seqqa keeps these changes\./.exec(
      `${ended.stdout}${ended.stderr}`,
    );
  const ids = user.prepare("SELECT id FROM orders WHERE status = 'by the user' ORDER BY id").pluck().all();
  expect(ids, `${ended.stdout}${ended.stderr}`).toContain(Number(said?.[1]));
  expect(ids.slice(-2)).toEqual([last, later]);
  expect(user.prepare("SELECT status FROM orders WHERE status <> 'by the user'").pluck().all()).toEqual(["mine", "mine, too"]);
  user.close();
  expect(everything(at.file)[1]).toEqual(at.before[1]);
});

it("a table that is ignored is left alone: no part of the state, neither judged nor put back", async () => {
  const at = await place("auto");
  const config = (ignore: string): void =>
    writeFileSync(
      join(at.cwd, "seqqa.yaml"),
      `base_url: ${at.baseUrl}\ndb_url: sqlite:orders.test.db\nsystems: { db: { ignore: ["${ignore}"] } }\n`,
    );
  config("event");
  const refused = await seqqa([...run, STEPS], { cwd: at.cwd });
  expect(refused.status).toBe(2);
  expect(refused.stderr).toContain(
    'The pattern "event" in `ignore` matches no table or column of store "db".\nhint: Did you mean "events"?',
  );
  expect(everything(at.file)).toEqual(at.before);
  config("event*");
  const refers = await seqqa([...run, STEPS], { cwd: at.cwd });
  expect(refers.status).toBe(2);
  expect(refers.stderr).toContain('its column order_id refers to table "orders", which this run restores');
  expect(everything(at.file)).toEqual(at.before);
  const user = new Database(at.file, { timeout: 5000 });
  user.exec(`DROP TRIGGER born; DROP TRIGGER died; CREATE TABLE copy AS SELECT * FROM events; DROP TABLE events`);
  user.exec(`CREATE TABLE events (order_id INTEGER, what TEXT); INSERT INTO events SELECT * FROM copy; DROP TABLE copy; ${TRIGGERS}`);
  const running = start([...run, STEPS], { cwd: at.cwd });
  const note = user.prepare("INSERT INTO events VALUES (NULL, 'by the user')");
  let notes = 0;
  while (running.child.exitCode === null) {
    notes += note.run().changes;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const ended = await running.ended;
  expect({ status: ended.status, stderr: ended.stderr }).toEqual({ status: 0, stderr: "" });
  expect(only(documentOf(ended))).toMatchObject({ divergences: [], errors: [] });
  const count = user.prepare("SELECT count(*) FROM events WHERE what = ?").pluck();
  expect(count.get("by the user")).toBe(notes);
  // Two were there, and the run's own stay too.
  expect(count.get("born")).toBeGreaterThan(2);
  expect(user.prepare("SELECT status FROM orders").pluck().all()).toEqual(["mine", "mine, too"]);
  user.close();
});

describe("a column that is ignored", () => {
  const ACTIONS = EXPLORATION.replace('    await world.api.post("/cancel");\n', "").replace('"orders", "pay", "cancel"', '"orders", "pay"');

  /** A store with such a column, and a client that writes it: each of its values is the next one, unless somebody undid one. */
  async function watched(
    ignore = ["*.seen"],
  ): Promise<{ readonly at: Place; readonly user: Database.Database; beat(): void; seen(): unknown }> {
    const at = await place("auto", folderWith({ "orders.explore.ts": ACTIONS }));
    const user = new Database(at.file, { timeout: 5000 });
    user.exec("ALTER TABLE orders ADD COLUMN seen INTEGER NOT NULL DEFAULT 0");
    writeFileSync(
      join(at.cwd, "seqqa.yaml"),
      `base_url: ${at.baseUrl}\ndb_url: sqlite:orders.test.db\nsystems: { db: { ignore: ${JSON.stringify(ignore)} } }\n`,
    );
    const next = user.prepare("UPDATE orders SET seen = seen + 1 WHERE id <= 2 AND seen = ?");
    const seen = user.prepare("SELECT seen FROM orders WHERE id <= 2 ORDER BY id").pluck();
    let beats = 0;
    return {
      at,
      user,
      beat: () => expect(next.run(beats++).changes).toBe(2),
      seen: () => expect(seen.all()).toEqual([beats, beats]),
    };
  }
  const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 10));
  const statuses = "SELECT status FROM orders ORDER BY id";

  // In the quick suite test/contract/ignored has these two for each store.
  it.runIf(full)("is neither judged nor put back, however often another client writes it", async () => {
    const { at, user, beat, seen } = await watched();
    const running = start([...run, STEPS], { cwd: at.cwd });
    for (; running.child.exitCode === null; await pause()) beat();
    const ended = await running.ended;
    expect({ status: ended.status, stderr: ended.stderr }).toEqual({ status: 0, stderr: "" });
    expect(only(documentOf(ended))).toMatchObject({ divergences: [], errors: [] });
    seen();
    expect(user.prepare(statuses).pluck().all()).toEqual(["mine", "mine, too"]);
    user.close();
  });

  it("or that was written before the run asked for anything, is neither judged nor put back, and the verdict names it", async () => {
    const { at, user, beat, seen } = await watched([]);
    user.exec("CREATE TABLE audit (what TEXT)");
    const note = user.prepare("INSERT INTO audit VALUES ('by the user')");
    const running = start([...run, STEPS], { cwd: at.cwd });
    let notes = 0;
    for (; running.child.exitCode === null; await pause()) {
      beat();
      notes += note.run().changes;
    }
    const ended = await running.ended;
    expect({ status: ended.status, stderr: ended.stderr }).toEqual({ status: 0, stderr: "" });
    const result = only(documentOf(ended));
    expect(result).toMatchObject({ divergences: [], errors: [] });
    expect(JSON.stringify(result)).toContain("orders.seen, audit.* (change without a request)");
    seen();
    expect(user.prepare("SELECT count(*) FROM audit").pluck().get()).toBe(notes);
    expect(user.prepare(statuses).pluck().all()).toEqual(["mine", "mine, too"]);
    user.close();
  });

  it.runIf(full)("is left alone by clean after a SIGKILL", async () => {
    const { at, user, beat, seen } = await watched();
    const killed = await inTheMiddle([at.file], at.cwd);
    for (let beats = 0; beats < 20; beats++, await pause()) beat();
    killed.child.kill("SIGKILL");
    await killed.ended;
    beat();
    const { status, stdout } = await seqqa(["clean", "--yes"], { cwd: at.cwd });
    expect(stdout).toMatch(/goes back {2}orders/);
    // A row that was written and not recorded stays.
    expect(status).toBe(/^ {2}stays/m.test(stdout) ? 3 : 0);
    seen();
    if (status === 0) expect(user.prepare(statuses).pluck().all()).toEqual(["mine", "mine, too"]);
    user.close();
  });
});

it("a checkpoint that cannot tell others' writes from the run's is refused", async () => {
  const at = await place("copy");
  const refused = await seqqa([...run, STEPS], { cwd: at.cwd });
  expect(refused.status).toBe(2);
  expect(`${refused.stdout}${refused.stderr}`).toMatch(
    /Checkpoint mode "copy" cannot be used for the SQLite file .*orders\.test\.db, because the run uses this store in place/,
  );
  expect(everything(at.file)).toEqual(at.before);
});

describe("a store whose name does not say that it is for tests", () => {
  const OWN = `world: (lane) => new World({ api: new HttpClient(lane.baseUrl), systems: { db: new SqliteAdapter({ file: "shop.db" }) } }),`;
  const IMPORTS = `import { World } from "seqqa";
import { HttpClient } from "seqqa/adapters/http";
import { SqliteAdapter } from "seqqa/adapters/sqlite";
`;

  const stores: readonly (readonly [string, string, string | undefined, string])[] = [
    ["of the configuration", EXPLORATION, "db_url: sqlite:shop.db\n", 'systems.db is the store "shop.db", which seqqa would use in place'],
    [
      "that the World names itself",
      `${IMPORTS}${EXPLORATION.replace("setup:", `${OWN}\n  setup:`)}`,
      "",
      'The exploration would change the store "shop.db" (systems.db of the World) in place',
    ],
    [
      "that the World names itself, without a target in the configuration",
      `${IMPORTS}${EXPLORATION.replace("setup:", `${OWN.replace("lane.baseUrl", "process.env.API!")}\n  setup:`)}`,
      undefined,
      'The exploration would change the store "shop.db" (systems.db of the World) in place',
    ],
  ];
  it.each(some(stores, 2))("%s, is not touched without consent", async (_what, exploration, config, says) => {
    const { cwd, file, baseUrl, before } = await place("auto", folderWith({ "orders.explore.ts": exploration }), "orders", "shop.db");
    writeFileSync(join(cwd, "seqqa.yaml"), config === undefined ? "parallel: 1\n" : `base_url: ${baseUrl}\n${config}`);
    const env = { API: baseUrl };
    const refused = await seqqa([...run, STEPS], { cwd, env });
    expect(refused.status).toBe(2);
    expect(`${refused.stdout}${refused.stderr}`).toContain(says);
    expect(`${refused.stdout}${refused.stderr}`).toContain("add --allow-db shop.db");
    expect(everything(file)).toEqual(before);
    // Each form once in the quick suite.
    const isAsked = full || config !== "";
    if (isAsked) expect(await seqqa([...run, STEPS, "--allow-db", "shop.db"], { cwd, env })).toMatchObject({ status: 0, stderr: "" });
    if (full || !isAsked)
      expect(await seqqa([...run, STEPS], { cwd, env: { ...env, SEQQA_ALLOW_DB: "shop.db" } })).toMatchObject({ status: 0, stderr: "" });
    expect(everything(file)).toEqual(before);
  });
});
