import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { full, laneCounts, some } from "../sizes.ts";
import {
  commandOf,
  descendants,
  documentOf,
  emptyFolder,
  folderWith,
  isRunning,
  linkPackages,
  only,
  seqqa,
  start,
  startNode,
  until,
  writtenIn,
  type Explored,
  type Ran,
} from "../support/e2e.ts";
import { directoriesOf } from "../support/run-directories.ts";
import { stepsIn } from "../support/stored-edges.ts";
import { ENDLESS_SERVER, NOTES_CONFIG, NOTES_COUNTS, NOTES_SERVER, notesExploration } from "../support/e2e-servers.ts";

const NOTES = { "seqqa.yaml": NOTES_CONFIG, "server.mjs": NOTES_SERVER, "notes.explore.ts": notesExploration() };
const ENDLESS = {
  "seqqa.yaml": NOTES_CONFIG,
  "server.mjs": ENDLESS_SERVER,
  "endless.explore.ts": `import { Action, Agent } from "seqqa";
export const agent = new Agent({
  actions: ["count", "break"].map((name) => new Action({ name, run: async (api) => api.post("/" + name) })),
  invariants: [],
  maxSteps: 1_000_000,
});
`,
};

const targetsOf = (pid: number): readonly number[] => descendants(pid).filter((one) => /(?:^|\/)node server\.mjs$/.test(commandOf(one)));

/** Starts an exploration without an end and waits until its targets are at work. */
async function inTheMiddle(
  parallel: number,
): Promise<ReturnType<typeof start> & { readonly cwd: string; readonly started: readonly number[] }> {
  const cwd = folderWith(ENDLESS);
  const running = start(["run", ".", "--parallel", String(parallel), "--output", "out"], { cwd });
  await until(() => stepsIn(join(cwd, "out")) > 20, "steps");
  expect(targetsOf(running.pid)).toHaveLength(parallel);
  return { ...running, cwd, started: descendants(running.pid) };
}

describe("interrupting a run", () => {
  const signals = [
    ["SIGTERM", 2],
    ["SIGINT", 1],
  ] as const;
  // In the quick suite e2e/run-interrupted has the others.
  it.each(some(signals, 1))("%s with %i lanes: what was found is reported and written, and nothing is left", async (signal, parallel) => {
    const { child, ended, cwd, started, pid } = await inTheMiddle(parallel);
    child.kill(signal);
    const { status, stdout, stderr } = await ended;
    expect(status).toBe(130);
    expect(stderr).toContain("Interrupted. seqqa finishes the current steps and restores the stores. Press Ctrl-C again to end at once.");
    expect(stdout).toContain("[HIGH] break_server_error");
    expect(stdout).toMatch(/^ {2}stopped +interrupted$/m);
    const document = writtenIn(join(cwd, "out"));
    expect(document.exitStatus).toBe(130);
    const { stopReason, violations, statesVisited } = only(document);
    expect({ stopReason, found: violations.map(({ invariant }) => invariant) }).toEqual({
      stopReason: "interrupted",
      found: ["break_server_error"],
    });
    expect(statesVisited).toBeGreaterThan(2);
    // A process that has ended may still wait until init reaps it.
    await until(() => !started.some(isRunning), "no process");
    expect(directoriesOf(pid)).toEqual([]);
  });

  it("a second signal ends at once, while a call hangs", async () => {
    const files = { ...ENDLESS, "endless.explore.ts": ENDLESS["endless.explore.ts"].replace('"break"', '"hang"') };
    const cwd = folderWith(files);
    const running = start(["run", ".", "--output", "out"], { cwd });
    await until(() => existsSync(join(cwd, "hanging")), "the call that hangs");
    const started = descendants(running.pid);
    running.child.kill("SIGINT");
    await until(() => running.said.stderr.includes("Interrupted"), "the first signal");
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(running.child.exitCode).toBeNull();
    const begun = performance.now();
    running.child.kill("SIGINT");
    expect((await running.ended).status).toBe(130);
    expect(performance.now() - begun).toBeLessThan(3000);
    await until(() => !started.some(isRunning), "no process left");
    expect(directoriesOf(running.pid)).toEqual([]);
  });

  // In the quick suite e2e/restart kills two lanes, and e2e/targets/endings a run with all that it started.
  it.runIf(full)("SIGKILL: the next run sweeps what could not be ended", async () => {
    const { child, ended, pid, started } = await inTheMiddle(1);
    child.kill("SIGKILL");
    expect((await ended).signal).toBe("SIGKILL");
    const next = await seqqa(["run", ".", "--output", "out"], { cwd: folderWith(NOTES) });
    expect(next.status).toBe(0);
    await until(() => !started.some(isRunning), "no orphan left");
    expect(directoriesOf(pid)).toEqual([]);
  });
});

describe("what a run leaves", () => {
  it.each(full ? laneCounts : ["2"])("is nothing but its report, with --parallel %s", async (parallel) => {
    const tmp = emptyFolder();
    const cwd = folderWith(NOTES);
    const before = readdirSync(cwd);
    const ran = await seqqa(["run", ".", "--parallel", parallel, "--output", "out"], { cwd, env: { TMPDIR: tmp } });
    // A machine that is busy is told how far it is every ten seconds.
    expect({ status: ran.status, stderr: ran.stderr.replace(/^note(?:: |s {2}).*\n/gm, "") }).toEqual({ status: 0, stderr: "" });
    expect(readdirSync(tmp).filter((name) => name !== `seqqa-${process.getuid?.()}`)).toEqual([]);
    expect(directoriesOf(ran.pid)).toEqual([]);
    expect(readdirSync(cwd).toSorted()).toEqual([...before, "out"].toSorted());
    expect(readdirSync(join(cwd, "out"))).toEqual(["report.html", "results.json", "runs"]);
  });

  it("is nothing after a target that did not start, either", async () => {
    const tmp = emptyFolder();
    const ran = await seqqa(["run", ".", "--output", "out"], {
      cwd: folderWith({ ...NOTES, "server.mjs": "process.exit(9)" }),
      env: { TMPDIR: tmp },
    });
    expect(ran.status).toBe(3);
    expect(readdirSync(tmp).filter((name) => name !== `seqqa-${process.getuid?.()}`)).toEqual([]);
    expect(directoriesOf(ran.pid)).toEqual([]);
  });
});

async function explored(files: Readonly<Record<string, string>>, args: readonly string[] = []): Promise<Explored> {
  const cwd = folderWith(files);
  linkPackages(cwd, "better-sqlite3");
  return finished(await seqqa(["run", ".", "--reporter", "json", "--output", "out", ...args], { cwd }));
}

function finished(ran: Ran): Explored {
  expect({ status: ran.status, stderr: ran.stderr }).toEqual({ status: 0, stderr: "" });
  const result = only(documentOf(ran));
  expect(result).toMatchObject({ ...NOTES_COUNTS, stopReason: "exhausted", violations: [], divergences: [], errors: [] });
  return result;
}

/** The notes as `createTarget`, on a connection that it opens or is lent. */
function moduleOf(connection: string, target: string): Readonly<Record<string, string>> {
  return {
    "seqqa.yaml": 'target:\n  module: target.ts\n  env:\n    DB_PATH: "{db_path}"\n',
    "notes.explore.ts": notesExploration(),
    "target.ts": `import { createServer } from "node:http";
import Database from "better-sqlite3";
import type { Lane } from "seqqa";

export function createTarget(lane: Lane): unknown {
  const db = ${connection};
  db.exec("CREATE TABLE IF NOT EXISTS notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL)");
  const handle = (method: string | undefined): readonly [number, unknown] => {
    if (method === "DELETE") return [200, { deleted: db.prepare("DELETE FROM notes").run().changes }];
    if (method !== "POST") return [200, []];
    if (db.prepare("SELECT count(*) AS n FROM notes").get().n >= 2) return [409, {}];
    return [201, db.prepare("INSERT INTO notes (text) VALUES ('hello') RETURNING *").get()];
  };
  ${target}
}
`,
  };
}

const FETCH = `return (request: Request) => { const [status, body] = handle(request.method); return Response.json(body, { status }); };`;
const OBJECT = `return { fetch: (request: Request) => { const [status, body] = handle(request.method); return Response.json(body, { status }); }, close: () => db.close() };`;
const SERVER = `return createServer((request, response) => {
    const [status, body] = handle(request.method);
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  });`;
const OWN = "new Database(lane.dbPath!)";
const LENT = `(lane.systems["db"] as any).connection`;

describe("target.module", () => {
  const modules = [
    ["{ fetch, close }", OWN, OBJECT, "journal"],
    ["an http.Server on the adapter's connection", LENT, SERVER, "savepoint"],
    ["a fetch handler with a connection of its own", OWN, FETCH, "journal"],
    ["a fetch handler on the adapter's connection", LENT, FETCH, "savepoint"],
    ["an http.Server", OWN, SERVER, "journal"],
  ] as const;
  // In the quick suite each kind of module once: a fetch handler makes the two lanes below.
  it.each(some(modules, 2))("%s", async (_, connection, target, mode) => {
    const { notes } = await explored(moduleOf(connection, target));
    expect(notes.join("\n")).toContain(`db (sqlite): checkpoint ${mode} (`);
  });

  it("makes two lanes", async () => {
    await explored(moduleOf(LENT, FETCH), ["--parallel", "2"]);
  });
});

/** Starts the notes on a free port, with one row in its store already. */
async function running(cwd: string, name: string): Promise<{ readonly baseUrl: string; readonly file: string }> {
  const file = join(cwd, `${name}.test.db`);
  const seed = new Database(file);
  seed.exec(
    "PRAGMA journal_mode = WAL; CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL); INSERT INTO notes (text) VALUES ('mine')",
  );
  seed.close();
  const announced = join(cwd, `${name}.port`);
  const server = NOTES_SERVER.replace(
    /\.listen\(.*\);/,
    `.listen(0, "127.0.0.1", function () { import("node:fs").then((fs) => fs.writeFileSync(process.env.ANNOUNCE, String(this.address().port))); });`,
  );
  writeFileSync(join(cwd, `${name}.mjs`), server);
  startNode([join(cwd, `${name}.mjs`)], { cwd, env: { DB_PATH: file, ANNOUNCE: announced } });
  await until(() => existsSync(announced) && readFileSync(announced, "utf8") !== "", "a running server");
  return { baseUrl: `http://127.0.0.1:${readFileSync(announced, "utf8")}`, file };
}

function contentsOf(file: string): { readonly objects: readonly unknown[]; readonly rows: readonly unknown[] } {
  const db = new Database(file, { readonly: true });
  const objects = db.prepare("SELECT type, name, sql FROM sqlite_master ORDER BY name").all();
  const rows = db.prepare("SELECT rowid, * FROM notes").all();
  db.close();
  return { objects, rows };
}

/** With a note of another text from the start: it, it and another, none, one, two. */
const SEEDED = { statesVisited: 5, transitions: 10 };

describe("targets that already run", () => {
  // In the quick suite two lanes below are explored and left as they were.
  it.runIf(full)("base_url with a db_url: explored, and left as it was", async () => {
    const cwd = folderWith({ "notes.explore.ts": notesExploration() });
    const { baseUrl, file } = await running(cwd, "alone");
    const before = contentsOf(file);
    writeFileSync(join(cwd, "seqqa.yaml"), `base_url: ${baseUrl}\ndb_url: sqlite:alone.test.db\n`);
    const ran = await seqqa(["run", ".", "--reporter", "json", "--output", "out"], { cwd });
    expect({ status: ran.status, stderr: ran.stderr }).toEqual({ status: 0, stderr: "" });
    expect(only(documentOf(ran))).toMatchObject({ ...SEEDED, stopReason: "exhausted", divergences: [], errors: [] });
    expect(contentsOf(file)).toEqual(before);
    expect(JSON.stringify(contentsOf(file))).not.toContain("seqqa_");
  });

  // In the quick suite e2e/borrowed interrupts such a run.
  it.runIf(full)("base_url with a db_url: left as it was when the run is interrupted", async () => {
    const cwd = folderWith({
      "notes.explore.ts": notesExploration({
        actions:
          'new Action({ name: "slow", run: async (api) => { await new Promise((r) => setTimeout(r, 400)); return api.get("/"); } }),',
      }),
    });
    const { baseUrl, file } = await running(cwd, "alone");
    const before = contentsOf(file);
    writeFileSync(join(cwd, "seqqa.yaml"), `base_url: ${baseUrl}\ndb_url: sqlite:alone.test.db\n`);
    const run = start(["run", ".", "--reporter", "json", "--output", "out"], { cwd });
    await until(() => JSON.stringify(contentsOf(file)).includes("seqqa"), "the journal in the store");
    await new Promise((resolve) => setTimeout(resolve, 200));
    run.child.kill("SIGINT");
    expect((await run.ended).status).toBe(130);
    expect(contentsOf(file)).toEqual(before);
  });

  it("lanes that already run are explored together", async () => {
    const cwd = folderWith({ "notes.explore.ts": notesExploration() });
    const lanes = [await running(cwd, "one"), await running(cwd, "two")];
    const before = lanes.map(({ file }) => contentsOf(file));
    const listed = lanes.map(({ baseUrl, file }) => `  - base_url: ${baseUrl}\n    db_url: sqlite:${file}\n`);
    writeFileSync(join(cwd, "seqqa.yaml"), `lanes:\n${listed.join("")}`);
    const ran = await seqqa(["run", ".", "--parallel", "2", "--reporter", "json", "--output", "out"], { cwd });
    expect({ status: ran.status, stderr: ran.stderr }).toEqual({ status: 0, stderr: "" });
    expect(only(documentOf(ran))).toMatchObject({ ...SEEDED, stopReason: "exhausted", divergences: [], errors: [] });
    expect(lanes.map(({ file }) => contentsOf(file))).toEqual(before);
    const third = await seqqa(["run", ".", "--parallel", "3"], { cwd });
    expect(third).toMatchObject({ status: 2, stdout: "" });
    expect(third.stderr).toContain("`parallel` is 3, but `lanes` lists only 2 running targets. Each lane needs its own target.");
  });

  it("lanes that share a target or a store are refused", async () => {
    const cwd = folderWith({ "notes.explore.ts": notesExploration() });
    const [one, two] = [await running(cwd, "one"), await running(cwd, "two")];
    writeFileSync(
      join(cwd, "seqqa.yaml"),
      `lanes:\n  - base_url: ${one.baseUrl}\n    db_url: sqlite:one.test.db\n  - base_url: ${two.baseUrl}\n    db_url: sqlite:one.test.db\n`,
    );
    const ran = await seqqa(["run", ".", "--parallel", "2"], { cwd });
    expect(ran).toMatchObject({ status: 2, stdout: "" });
    expect(ran.stderr).toContain("lanes[0] and lanes[1] have the same db_url.");
  });
});
