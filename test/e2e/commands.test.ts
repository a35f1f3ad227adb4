import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { full } from "../sizes.ts";
import { folderWith, seqqa, seqqaProcess, start, until, type Ran } from "../support/e2e.ts";
import { NOTES_CONFIG, NOTES_SERVER, notesExploration } from "../support/e2e-servers.ts";
import { parseXml } from "../support/xml.ts";

const journey = (name: string, steps: string, more = ""): string =>
  `import { Journey, Step } from "seqqa";\nexport const journey = new Journey({ name: "${name}", ${more} steps: [${steps}] });\n`;
const step = (name: string, action: string, more = ""): string => `new Step({ name: "${name}", action: ${action}, ${more} })`;

const FILL = journey(
  "fill up",
  [
    step("add", "(api) => api.post('/notes')"),
    step("add again", "(api) => api.post('/notes')"),
    step("full", "(api) => api.post('/notes')", "expectFailure: 409"),
  ].join(", "),
);
const LOGIN = journey(
  "log in",
  [
    step(
      "sign in",
      "async (api, context, args) => { context.set('token', 'secret-1'); api.setAuthToken('secret-2'); return api.post('/notes?token=secret-3', { json: args }); }",
      "args: { password: 'secret-4', name: 'ann' }",
    ),
    step("fails", "(api) => api.post('/notes?n=2').then(() => api.post('/notes'))"),
    step("never", "(api) => api.get('/notes')"),
  ].join(", "),
);
const SLOW = journey("wait", step("for ever", "() => new Promise(() => {})"), "timeout: 0.2,");

const FILES = {
  "qa/seqqa.yaml": `base_url: http://notes.test\nreport: { formats: [html, json, junit] }\n${NOTES_CONFIG}`,
  "qa/server.mjs": NOTES_SERVER,
  "qa/journeys/fill.ts": FILL,
  "qa/journeys/deep/login.ts": LOGIN,
  "qa/journeys/slow.ts": SLOW,
  "qa/notes.explore.ts": notesExploration({ more: 'name: "the notes",' }),
};

const reports = (cwd: string): string => join(cwd, "qa/reports");
const read = (cwd: string, name: string): string => readFileSync(join(reports(cwd), name), "utf8");

describe("journeys, by the command that users have", () => {
  it("one by its name", async () => {
    const { status, stdout, stderr } = await seqqa(["run", "fill up"], { cwd: folderWith(FILES) });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout.replaceAll(/\d[\d.]* m?s\b/g, "T")).toBe(
      "fill up\n  ok         add        T\n  ok         add again  T\n  ok         full       T\n  passed (3 steps, T)\n\nPASSED  1 journey: 1 passed\nreport  qa/reports/report.html\n",
    );
  });

  it("all of them on two lanes: the worst exit status, every report, and no secret in any", async () => {
    const cwd = folderWith(FILES);
    const { status, stdout } = await seqqa(["run", "--all", "--parallel", "2"], { cwd });
    expect(status).toBe(1);
    expect(stdout).toContain("             request   POST http://notes.test/notes\n             response  409 ");
    expect(stdout).toContain("TIMED OUT");
    expect(stdout).toContain("FAILED  3 journeys: 1 passed, 1 failed, 1 timed out\nreport  qa/reports/report.html\n");
    const document = JSON.parse(read(cwd, "results.json")) as object;
    expect(document).toMatchObject({
      explorations: [],
      journeys: [
        {
          name: "log in",
          file: "qa/journeys/deep/login.ts",
          status: "failed",
          steps: [
            { status: "passed", args: { password: "[redacted]", name: "ann" }, context: { set: { token: "[redacted]" } } },
            { status: "failed", requests: [{ response: { status: 201 } }, { response: { status: 409 } }] },
            { status: "skipped" },
          ],
        },
        { name: "fill up", status: "passed" },
        { name: "wait", status: "timed_out", steps: [{ status: "timed_out" }] },
      ],
      failures: [],
      exitStatus: 1,
    });
    const all = [stdout, ...["results.json", "junit.xml", "report.html"].map((name) => read(cwd, name))].join("");
    expect(all).not.toMatch(/secret-\d/);
    expect(parseXml(read(cwd, "junit.xml")).attributes).toMatchObject({ tests: "7", failures: "2", errors: "0" });
    const listed = await seqqa(["report", "--format", "json", "--output", "-"], { cwd });
    expect(listed).toMatchObject({ status: 0, stdout: read(cwd, "results.json"), stderr: "" });
  });

  it("--bail ends with the first that fails", async () => {
    const cwd = folderWith(FILES);
    const { status, stdout } = await seqqa(["run", "--all", "--bail", "--reporter", "json"], { cwd });
    expect(status).toBe(1);
    expect((JSON.parse(stdout) as { journeys: { name: string }[] }).journeys.map(({ name }) => name)).toEqual(["log in"]);
  });

  it("a target that cannot be reached: 3", async () => {
    const cwd = folderWith({ "seqqa.yaml": "base_url: http://127.0.0.1:1", "journeys/fill.ts": FILL });
    const { status, stdout, stderr } = await seqqa(["run", "fill up"], { cwd });
    expect({ status, one: `${stdout}${stderr}`.match(/Connection refused/g)?.length }).toEqual({ status: 3, one: 1 });
  });

  it("an interruption ends them in order, with what was done: 130", async () => {
    const endless = journey("wait", step("for ever", "() => { writeFileSync('waiting', ''); return new Promise(() => {}); }"));
    const cwd = folderWith({ ...FILES, "qa/journeys/slow.ts": `import { writeFileSync } from "node:fs";\n${endless}` });
    const running = start(["run", "wait"], { cwd });
    await until(() => existsSync(join(cwd, "waiting")), "the step");
    running.child.kill("SIGINT");
    const { status, stderr } = await running.ended;
    expect(status).toBe(130);
    expect(stderr).toContain("Interrupted. seqqa finishes the current steps");
    expect(JSON.parse(read(cwd, "results.json"))).toMatchObject({ exitStatus: 130 });
    expect(readdirSync(join(reports(cwd), "runs"))).toHaveLength(1);
  });
});

describe("what there is", () => {
  it("list", async () => {
    const cwd = folderWith({
      ...FILES,
      "qa/journeys/none.ts": "export const x = 1;\n",
      "qa/broken.explore.ts": "export const agent = ;\n",
    });
    const { status, stdout, stderr } = await seqqa(["list"], { cwd });
    expect(status).toBe(0);
    expect(stdout).toBe(`journey  log in     qa/journeys/deep/login.ts  3 steps
journey  fill up    qa/journeys/fill.ts        3 steps
journey  wait       qa/journeys/slow.ts        1 step
agent    the notes  qa/notes.explore.ts        2 actions, 0 invariants
`);
    expect(stderr).toContain("This file cannot be used: qa/journeys/none.ts exports x, but a journey file must export `journey`.\n");
    expect(stderr).toMatch(/This file cannot be used: qa\/broken\.explore\.ts:1:\d+: /);
  });
});

describe("known findings", () => {
  const notes = (max: number): string =>
    notesExploration({
      invariants: `new Invariant({ name: "few", check: async (world) => (await world.api.get("/notes")).json().length < ${max} }),`,
      more: 'name: "the notes",',
    });
  const files = { ...FILES, "qa/seqqa.yaml": `${FILES["qa/seqqa.yaml"]}known_findings: ./known.yaml\n`, "qa/notes.explore.ts": notes(2) };
  const run = (cwd: string, ...more: readonly string[]): Promise<Ran> => seqqa(["run", "qa", ...more], { cwd });

  it("are written, do not fail the run, and are named when they are gone; another one fails it", async () => {
    const cwd = folderWith(files);
    expect(await run(cwd)).toMatchObject({ status: 2, stdout: "" });
    expect((await run(cwd, "--update-known")).status).toBe(0);
    const list = readFileSync(join(cwd, "qa/known.yaml"), "utf8");
    const id = /^- id: "?([0-9a-f]{16})"?\n {2}exploration: the notes\n {2}finding: few\n {2}path: \[ add, add \]\n$/.exec(list)?.[1];
    expect(id).toBeDefined();
    if (full) expect((await run(cwd)).status).toBe(0);
    const other = folderWith({ ...files, "qa/known.yaml": "- { id: 0000000000000000, path: [] }\n- 1111111111111111\n" });
    // A known one is no reason to stop, either.
    const bailed = await run(cwd, "--bail", "--reporter", "json");
    expect(bailed.status).toBe(0);
    expect(JSON.parse(bailed.stdout)).toMatchObject({ explorations: [{ stopReason: "exhausted", violations: [{ known: true }] }] });
    // In the quick suite e2e/resume has one that is.
    if (full)
      expect(JSON.parse((await seqqa(["run", "qa", "--bail", "--reporter", "json"], { cwd: other })).stdout)).toMatchObject({
        explorations: [{ stopReason: "first_violation" }],
      });
    const { status, stdout } = await run(other);
    expect(status).toBe(1);
    expect(stdout).toContain("stale: 0000000000000000 no longer occurs");
    expect(stdout).toContain("not seen: 1111111111111111 ");
  });
});

describe("a wrong use, by the built command", () => {
  it.each<readonly [string, RegExp]>([
    [
      "run login.ts",
      /^error: Journey not found: login\.ts is a file, but seqqa run takes the name of a journey\.\nhint: Try: seqqa run 'log in'\n$/,
    ],
    ["run fil", /^error: Journey not found: neither a journey nor a directory is named fil\.\nhint: Did you mean fill up\? /],
    [
      "run notes.explore.ts",
      /^error: The file notes\.explore\.ts does not exist\.[^\n]*\nhint: Did you mean qa\/notes\.explore\.ts\? Try: seqqa run qa --only 'the notes'\n$/,
    ],
    [
      "run",
      /^error: seqqa run needs the name of a directory or of a journey\.\nhint: Type one of these commands: seqqa run qa \(notes\), seqqa run <journey> \(log in, fill up, wait\), seqqa run --all\n$/,
    ],
    ["report --run x", /^error: No run is stored in [^\n]*\nhint: [^\n]*\n$/],
    ["completion csh", /^error: seqqa has no completion script for the shell "csh", [^\n]*\nhint: [^\n]*\n$/],
  ])("%s", async (line, says) => {
    const { status, stdout, stderr } = await seqqa(line.split(" "), { cwd: folderWith(FILES) });
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toMatch(says);
  });
});

const NOISY = `import { Action, Agent, Invariant, World } from "seqqa";
import { MockClient } from "seqqa/mocking";
console.log("at import");
process.stdout.write("raw text\\n");
const api = () => {
  const mock = new MockClient();
  mock.whenPost("/a").respond({}, { status: 201 });
  return mock;
};
export const agent = new Agent({
  name: "noisy",
  world: () => new World({ api: api() }),
  setup: () => console.info("in setup"),
  actions: [
    new Action({
      name: "add",
      precondition: (context) => (context.get("n") ?? 0) < 2,
      run: async (client, context) => {
        console.log("adding\\ntwice", { n: context.get("n") });
        context.set("n", (context.get("n") ?? 0) + 1);
        return client.post("/a");
      },
    }),
  ],
  invariants: [new Invariant({ name: "quiet", check: () => (console.table([{ n: 1 }]), true) })],
});
`;

it.each(["1", "2"])(
  "user code writes to standard error, each line with its place; standard output is the document alone: --parallel %s",
  async (lanes) => {
    const cwd = folderWith({ "noisy.explore.ts": NOISY });
    const { status, stdout, stderr } = await seqqaProcess(["run", ".", "--reporter", "json", "--parallel", lanes], { cwd });
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ explorations: [{ name: "noisy", statesVisited: 3 }] });
    const lines = stderr.split("\n");
    expect(lines).toEqual(
      expect.arrayContaining(["at import", "raw text", "[setup] in setup", "[add] adding", "[add -> add] twice { n: 1 }"]),
    );
    expect(lines.some((line) => /^\[add; quiet\] .*\b1\b/.test(line))).toBe(true);
  },
);
