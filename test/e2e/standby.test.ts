import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { full } from "../sizes.ts";
import { onPostgres, template } from "../support/store-templates.ts";
import { descendants, folderWith, isRunning, linkPackages, only, seqqa, start, until, writtenIn, type Explored } from "../support/e2e.ts";
import { expectNothingLeft } from "../support/held-target.ts";
import { NOTES_SERVER, notesExploration } from "../support/e2e-servers.ts";

/** Notes whose `POST /boom` ends the target where there are as many notes. Each start, crash and listening server is a line of `events`. */
const SERVER = NOTES_SERVER.replace(
  "const db =",
  `const say = (what) => appendFileSync("events", what + " " + process.pid + "\\n");
say("start");
await pause(600);
const db =`,
)
  .replace(
    "createServer((request, response) => {",
    `createServer((request, response) => {
  if (request.url === "/boom/" + db.prepare("SELECT count(*) AS n FROM notes").get().n) {
    say("crash");
    process.exit(7);
  }
  if (request.url.startsWith("/boom/")) return response.end("{}");`,
  )
  .replace("\n", `\nimport { appendFileSync } from "node:fs";\nimport { setTimeout as pause } from "node:timers/promises";\n`)
  .replace(/\.listen\((.*)\);/, `.listen($1, () => say("listen"));`);

const BOOMS = [1, 2].map((n) => `new Action({ name: "boom_${n}", run: async (api) => api.post("/boom/${n}") }),`).join("\n");

/** The environment `more` of the target: where it has `{lane}`, there is no standby lane. */
const folderOf = (more = ""): string => {
  const folder = folderWith({
    "server.mjs": SERVER,
    "seqqa.yaml": `target: { command: node server.mjs, idle_watch: 0, env: { PORT: "{port}", DB_PATH: "{db_path}"${more} } }\n`,
    "notes.explore.ts": notesExploration({ actions: BOOMS, more: "continueAfterViolation: true," }),
  });
  linkPackages(folder, "seqqa");
  return folder;
};

const eventsOf = (cwd: string): readonly string[] =>
  existsSync(join(cwd, "events")) ? readFileSync(join(cwd, "events"), "utf8").trimEnd().split("\n") : [];

interface Done extends Explored {
  readonly events: readonly string[];
  readonly rebuilds: number;
}

async function run(cwd: string, parallel: number, ...more: readonly string[]): Promise<Done> {
  const ran = await seqqa(["run", ".", "--parallel", String(parallel), "--output", "out", ...more], { cwd });
  expect(ran.status, ran.stderr).toBe(1);
  return {
    ...only(writtenIn(join(cwd, "out"))),
    events: eventsOf(cwd).map((line) => line.split(" ")[0]!),
    rebuilds: ran.stderr.match(/^note: seqqa starts lane \d again: .*\/boom\/\d got no answer/gm)?.length ?? 0,
  };
}

const countOf = (events: readonly string[], what: string): number => events.filter((one) => one === what).length;

const answerOf = ({ digest, statesVisited, transitions, violations, divergences, errors }: Explored): unknown => ({
  digest,
  statesVisited,
  transitions,
  found: violations.map(({ id, confirmed, reproductionPath }) => [id, confirmed, reproductionPath]),
  divergences,
  errors,
});

describe("a target that crashes and starts slowly", () => {
  it("has a standby lane from the first crash on: the same answer, for every number of lanes", async () => {
    const without = await run(folderOf(`, LANE: "{lane}"`), 1);
    const expected = answerOf(without);
    expect(expected).toMatchObject({ divergences: [], errors: [], found: [expect.anything(), expect.anything()] });
    // Each start follows a crash, or is that of the beginning.
    expect(without.rebuilds).toBeGreaterThan(2);
    const first = without.events.indexOf("crash");
    expect(without.events.slice(first, first + 3)).toEqual(["crash", "start", "listen"]);
    for (const parallel of full ? [1, 2] : [1]) {
      const { events, rebuilds, ...result } = await run(folderOf(), parallel);
      expect(answerOf(result), `${parallel} lanes`).toEqual(expected);
      expect(rebuilds).toBeGreaterThan(2);
      // The lane and its standby lane, beside each other.
      const at = events.indexOf("crash");
      expect(
        events
          .slice(at + 1)
          .filter((what) => what !== "crash")
          .slice(0, 2),
      ).toEqual(["start", "start"]);
      if (parallel > 1) continue;
      expect(rebuilds).toBe(without.rebuilds);
      // One more than without it.
      expect(countOf(events, "start")).toBe(countOf(without.events, "start") + 1);
    }
  });

  it("pays nothing for it where it does not crash", async () => {
    const cwd = folderOf();
    writeFileSync(join(cwd, "notes.explore.ts"), notesExploration());
    const ran = await seqqa(["run", ".", "--parallel", "1", "--output", "out"], { cwd });
    expect(ran.status).toBe(0);
    expect(eventsOf(cwd).filter((line) => line.startsWith("start"))).toHaveLength(1);
  });

  it("has none beside it where its store is one that is used where it is", async () => {
    const cwd = folderOf();
    const yaml = join(cwd, "seqqa.yaml");
    writeFileSync(yaml, readFileSync(yaml, "utf8").replace("{db_path}", "own.test.sqlite"));
    const parts = {
      top: `import { SqliteAdapter } from "seqqa/adapters/sqlite";`,
      actions: BOOMS,
      more: `continueAfterViolation: true, world: () => new World({ systems: { db: new SqliteAdapter({ file: "own.test.sqlite" }) } }),`,
    };
    writeFileSync(join(cwd, "notes.explore.ts"), notesExploration(parts));
    const { events } = await run(cwd, 1, ...(full ? [] : ["--max-depth", "2"]));
    const at = events.indexOf("crash");
    expect(events.slice(at, at + 3)).toEqual(["crash", "start", "listen"]);
  });

  // In the quick suite process/targets/lanes/standby interrupts while it is built, and the next test ends a whole run.
  it.runIf(full).each([
    ["SIGINT", 130],
    ["SIGHUP", 130],
  ] as const)("leaves nothing after %s while the standby lane is being built", async (signal, expected) => {
    const url = await template("postgres");
    const { cwd, starts } = storeFolder(url);
    const { child, ended, pid } = start(["run", ".", "--parallel", "1", "--output", "out"], { cwd });
    await until(() => starts().length === 3, "the standby lane's start");
    const started = descendants(pid);
    const databases = starts().map(({ database }) => database);
    expect(new Set(databases).size).toBe(3);
    expect(await databasesOf(url, databases[0]!)).toEqual(expect.arrayContaining(databases.slice(1)));
    child.kill(signal);
    const { status, stderr } = await ended;
    expect(status, stderr).toBe(expected);
    await expectNothingLeft(pid, started);
    expect(starts().filter((one) => isRunning(one.pid))).toEqual([]);
    expect(await databasesOf(url, databases[0]!)).toEqual([]);
  });

  it("leaves nothing behind the next run, where the run is killed while the standby lane is being built", async () => {
    const url = await template("postgres");
    const { cwd, starts } = storeFolder(url);
    const { child, ended } = start(["run", ".", "--parallel", "1", "--output", "out"], { cwd });
    await until(() => starts().length === 3, "the standby lane's start");
    const left = starts();
    child.kill("SIGKILL");
    await ended;
    for (const file of ["shutting", "shut"]) rmSync(join(cwd, file));
    const ran = await seqqa(["run", ".", "--parallel", "1", "--max-steps", "1", "--output", "out"], { cwd });
    expect(ran.status, ran.stderr).toBeLessThan(3);
    expect(left.filter((one) => isRunning(one.pid))).toEqual([]);
    expect(await databasesOf(url, left[0]!.database)).toEqual([]);
  });

  // In the quick suite process/targets/lanes/standby has it.
  it.runIf(full)("goes on without it where it cannot be built, and leaves nothing", async () => {
    const url = await template("postgres");
    // The second store of a run, for a lane that has no number yet.
    const { cwd, starts } = storeFolder(url, `if (/_lane1_/.test(database)) process.exit(4);`);
    rmSync(join(cwd, "shutting"));
    const { child, ended, pid } = start(["run", ".", "--parallel", "1", "--output", "out"], { cwd });
    const { status, stdout, stderr } = await ended;
    expect(child.killed).toBe(false);
    expect(status, stdout + stderr).toBe(1);
    const all = starts();
    expect(all.filter(({ database }) => database.includes("_lane1_"))).toHaveLength(1);
    expect(only(writtenIn(join(cwd, "out")))).toMatchObject({ errors: [], divergences: [], violations: [{ confirmed: true }] });
    await expectNothingLeft(
      pid,
      all.map((one) => one.pid),
    );
    expect(await databasesOf(url, all[0]!.database)).toEqual([]);
  });
});

/** A target whose only call ends it. After its first crash no target listens. */
function storeFolder(
  url: string,
  first = "",
): { cwd: string; starts: () => readonly { readonly pid: number; readonly database: string }[] } {
  const cwd = folderWith({
    shutting: "",
    "server.mjs": `import { createServer } from "node:http";
import { appendFileSync, existsSync, writeFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
const database = new URL(process.env.DATABASE_URL).pathname.slice(1);
appendFileSync("events", process.pid + " " + database + "\\n");
${first}
while (existsSync("shut")) await pause(10);
createServer((request, response) => {
  if (request.method === "GET") return response.end("{}");
  if (existsSync("shutting")) writeFileSync("shut", "");
  process.exit(7);
}).listen(Number(process.env.PORT), "127.0.0.1");
`,
    "seqqa.yaml": `db_url: ${url}
target: { command: node server.mjs, idle_watch: 0, ready_timeout: 600, env: { PORT: "{port}", DATABASE_URL: "{db_url}" } }
`,
    "crash.explore.ts": `import { Action, Agent } from "seqqa";
export const agent = new Agent({ actions: [new Action({ name: "boom", run: async (api) => api.post("/boom") })], invariants: [] });
`,
  });
  linkPackages(cwd, "seqqa", "pg");
  const starts = () =>
    eventsOf(cwd).map((line) => {
      const [pid, database] = line.split(" ");
      return { pid: Number(pid), database: database! };
    });
  return { cwd, starts };
}

/** The databases of the run that made one of them. */
async function databasesOf(url: string, one: string): Promise<readonly string[]> {
  const rows = await onPostgres(url, `select datname from pg_database where datname like '${one.split("_", 2).join("\\_")}\\_%'`);
  return rows.map((row) => String(Object.values(row)[0]));
}
