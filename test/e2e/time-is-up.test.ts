import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { laneCounts } from "../sizes.ts";
import { folderWith, only, seqqa, start, until, writtenIn } from "../support/e2e.ts";
import { NOTES_CONFIG, NOTES_SERVER, notesExploration } from "../support/e2e-servers.ts";

/** `/hang` is never answered. */
const SERVER = NOTES_SERVER.replace(
  "createServer((request, response) => {",
  `createServer((request, response) => {
  if (request.url === "/hang") return;`,
);
const HANG = `new Action({ name: "hang", run: async (api) => api.get("/hang") }),`;
const hanging = (timeout: number): string =>
  folderWith({
    "seqqa.yaml": `timeout: ${timeout}\n${NOTES_CONFIG}`,
    "server.mjs": SERVER,
    "notes.explore.ts": notesExploration({ actions: HANG }),
  });

describe("a target that hangs, with less time than its requests may take", () => {
  it.each(laneCounts)("is a finding that was not replayed, and the run ends soon, with --parallel %s", async (parallel) => {
    const cwd = hanging(30);
    const begun = performance.now();
    const ran = await seqqa(["run", ".", "--parallel", parallel, "--max-time", "2", "--output", "out"], { cwd });
    expect(performance.now() - begun).toBeLessThan(25_000);
    expect(ran.status).toBe(3);
    const { violations, stopReason } = only(writtenIn(join(cwd, "out")));
    expect(stopReason).toBe("max_time");
    expect(violations).toMatchObject([
      { invariant: "hang_timeout", confirmed: false, notReplayed: true, notReplayedReason: "max_time", reproductionPath: ["hang"] },
    ]);
    expect(violations[0]!.message).toMatch(
      /^A request timed out once during hang\. seqqa could not repeat the step to confirm the missing answer, because max_time was reached\. GET .*\/hang got no answer/,
    );
    expect(ran.stdout).toContain("[HIGH] hang_timeout (not confirmed: max_time ran out before");
    expect(ran.stdout).not.toContain("flaky");
  });

  it("is confirmed where the time allows it", async () => {
    const ran = await seqqa(["run", ".", "--max-time", "2", "--output", "out"], { cwd: hanging(1.5) });
    expect([ran.status, ran.stdout]).toEqual([
      1,
      expect.stringContaining("hang got no answer in time. The same happened again from a clean start"),
    ]);
  });
});

describe("many findings of a target that starts slowly", () => {
  const slowly = (server: string, config: string, exploration: string): string =>
    folderWith({
      "seqqa.yaml": config,
      "server.mjs": `await new Promise((resolve) => setTimeout(resolve, 1500));\n${server}`,
      "flags.explore.ts": `import { Action, Agent, Invariant } from "seqqa";
const numbers = Array.from({ length: 8 }, (_, n) => n);
export const agent = new Agent({ ${exploration} });
`,
    });

  it("takes one target for all of them where its store goes back to the root", async () => {
    const server = `
import { createServer } from "node:http";
import { createRequire } from "node:module";
const Database = createRequire(${JSON.stringify(import.meta.url)})("better-sqlite3");
const db = new Database(process.env.DB_PATH);
db.exec("CREATE TABLE IF NOT EXISTS flags (id INTEGER PRIMARY KEY, n INTEGER NOT NULL)");
createServer((request, response) => {
  if (request.method === "POST") db.prepare("INSERT INTO flags (n) VALUES (?)").run(Number(request.url.slice(1)));
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(db.prepare("SELECT n FROM flags").pluck().all()));
}).listen(Number(process.env.PORT), "127.0.0.1");`;
    const exploration = `
  actions: numbers.map((n) => new Action({ name: \`set_\${n}\`, run: async (api) => api.post(\`/\${n}\`) })),
  invariants: numbers.map((n) => new Invariant({ name: \`not_\${n}\`, check: async (world) => !(await world.api.get("/")).json<number[]>().includes(n) })),`;
    const cwd = slowly(server, NOTES_CONFIG, exploration);
    const ran = await seqqa(["run", ".", "--parallel", "1", "--max-time", "20", "--output", "out"], { cwd });
    expect(ran.status).toBe(1);
    const { violations, durationMs } = only(writtenIn(join(cwd, "out")));
    expect(violations.map(({ confirmed }) => confirmed)).toEqual(Array<boolean>(8).fill(true));
    // Eight starts alone would take longer.
    expect(durationMs).toBeLessThan(11_000);
  });

  it("stops when the time is over where each needs a target, says which are not confirmed, and how far it is meanwhile", async () => {
    const server = `
import { createServer } from "node:http";
createServer((request, response) => response.writeHead(500).end()).listen(Number(process.env.PORT), "127.0.0.1");`;
    const config = `report: { formats: [html, json, junit] }\ntarget:\n  command: node server.mjs\n  env:\n    PORT: "{port}"\n`;
    const exploration = `
  actions: numbers.map((n) => new Action({ name: \`get_\${n}\`, expectedStatus: "2xx", run: async (api) => api.get(\`/\${n}\`) })),
  invariants: [],`;
    const cwd = slowly(server, config, exploration);
    const begun = performance.now();
    const ran = await seqqa(["run", ".", "--parallel", "1", "--max-time", "1", "--output", "out"], { cwd, env: { CI: "1" } });
    expect(performance.now() - begun).toBeLessThan(25_000);
    expect(ran.status).toBe(1);
    const { violations, notes } = only(writtenIn(join(cwd, "out")));
    const left = violations.filter(({ confirmed }) => !confirmed);
    expect(violations).toHaveLength(8);
    expect(left.length).toBeGreaterThan(0);
    expect(left.length).toBeLessThan(8);
    for (const one of left) expect(one).toMatchObject({ notReplayed: true, notReplayedReason: "max_time" });
    expect(notes).toContainEqual(
      expect.stringContaining(`, so ${left.length} of 8 findings ${left.length === 1 ? "is" : "are"} not confirmed. `),
    );
    expect(ran.stdout).toContain("(not confirmed: max_time ran out before seqqa replayed the finding from a clean start)");
    const written = (name: string): string => readFileSync(join(cwd, "out", name), "utf8");
    expect(written("report.html")).toContain("not confirmed: max_time ran out before seqqa replayed the finding from a clean start");
    expect(written("junit.xml")).toContain("not confirmed: max_time ran out before seqqa replayed the finding from a clean start");
  });
});

describe("a run that is interrupted while findings are replayed", () => {
  it("reports its exploration, as interrupted, with findings that were not replayed", async () => {
    // From its second start on the target comes up slowly, so that findings wait for a lane.
    const slow = `import { existsSync, writeFileSync } from "node:fs";
if (existsSync("started")) {
  writeFileSync("again", "");
  await new Promise((resolve) => setTimeout(resolve, 3000));
}
writeFileSync("started", "");
${SERVER}`;
    const cwd = folderWith({
      "seqqa.yaml": NOTES_CONFIG,
      "server.mjs": slow,
      "notes.explore.ts": notesExploration({
        invariants: `new Invariant({ name: "few", check: async (world) => (await world.api.get("/notes")).json<unknown[]>().length < 2 })`,
      }),
    });
    const { child, ended } = start(["run", ".", "--parallel", "1", "--output", "out"], { cwd });
    await until(() => existsSync(join(cwd, "again")), "findings are replayed");
    child.kill("SIGINT");
    const { status, stdout } = await ended;
    expect(status).toBe(130);
    const explored = only(writtenIn(join(cwd, "out")));
    expect(explored).toMatchObject({ stopReason: "interrupted", violations: [{ invariant: "few", confirmed: false, notReplayed: true }] });
    expect(stdout).toContain("[HIGH] few (not confirmed: the run was interrupted before");
    expect(stdout).toMatch(/^ {2}stopped +interrupted$/m);
  });
});
