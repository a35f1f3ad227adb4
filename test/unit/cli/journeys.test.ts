import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { SeqqaError } from "../../../src/model/errors.ts";
import type { JourneyResult } from "../../../src/model/results/journey-result.ts";
import type { FoundJourneys, JourneyRun, RunJourneysInput } from "../../../src/run/index.ts";
import { journey, step } from "../../support/results.ts";
import { folderWith, seqqa, type Setting } from "../../support/cli-harness.ts";

const passed = (name: string): JourneyResult => ({ name, status: "passed", steps: [step()], durationMs: 5 });
const names = ["log in", "login again", "pay"];
const found = (folder: string): FoundJourneys => ({
  journeys: names.map((name, index) => ({ name, file: join(folder, `journeys/${index}.ts`), steps: 1 })),
  unusable: [],
});
const folder = (): string => folderWith({ "qa/seqqa.yaml": "" });

/** Tells and gives back what came of each. */
const gives =
  (of: (name: string) => Partial<JourneyRun>) =>
  ({ journeys, onEvent }: RunJourneysInput): readonly JourneyRun[] =>
    journeys.map(({ name, file }) => {
      const given = { file, result: passed(name), notes: [], ...of(name) };
      const run = { ...given, result: { ...given.result, name } };
      onEvent({ kind: "journey_started", name });
      for (const one of run.result.steps) onEvent({ kind: "step_ended", name, step: one });
      onEvent({ kind: "journey_ended", name, result: run.result });
      return run;
    });

const setting = (of: (name: string) => Partial<JourneyRun> = () => ({}), more: Setting = {}): Setting => ({
  cwd: folder(),
  journeys: found,
  runJourneys: gives(of),
  ...more,
});

interface Document {
  readonly journeys: readonly { readonly name: string; readonly file: string; readonly status: string }[];
  readonly failures: readonly object[];
  readonly exitStatus: number;
}
const written = ({ cwd = "" }: Setting): Document => JSON.parse(readFileSync(join(cwd, "qa/reports/results.json"), "utf8")) as Document;

const skipped = journey({ steps: [step({ status: "skipped" })] });
const lost = { code: "TARGET_EXITED", message: "no lane", path: [], source: "lane", count: 1 };
const notPutBack = { kind: "not_put_back", path: [], message: "not put back", differences: ["orders: 1 row"] } as const;

describe("run <journey>", () => {
  it.each<readonly [string, Partial<JourneyRun>, readonly string[], number]>([
    ["passed", {}, [], 0],
    ["failed", { result: journey() }, [], 1],
    ["failed, whatever the threshold", { result: journey() }, ["--fail-on-severity", "none"], 1],
    ["timed out", { result: journey({ status: "timed_out", steps: [step({ status: "timed_out" })] }) }, [], 1],
    ["never run, for want of a lane", { result: skipped, error: lost }, [], 3],
    ["passed, not put back", { notPutBack }, [], 3],
    ["failed, not put back", { result: journey(), notPutBack }, [], 1],
    ["interrupted", { result: journey({ interrupted: true }) }, [], 130],
  ])("%s", async (_what, run, options, expected) => {
    const given = setting(() => run);
    const { status, stdout } = await seqqa(["run", "log in", ...options], given);
    expect(status).toBe(expected);
    expect(written(given)).toMatchObject({ journeys: [{ name: "log in", file: "qa/journeys/0.ts" }], exitStatus: expected });
    if (run.error !== undefined) expect(stdout).toContain("Error in lane (TARGET_EXITED)\n  no lane\n");
    if (run.notPutBack !== undefined) expect(stdout).toContain("Divergence (not put back)\n  not put back\n");
  });

  it("shows the steps, and of the one that failed what was sent and answered, and where", async () => {
    const { stdout } = await seqqa(
      ["run", "log in"],
      setting(() => ({ result: journey(), notes: ["mind this"] })),
    );
    expect(stdout).toBe(`log in
  ok         sign in   12 ms
  FAILED     read      12 ms
             Answered 403 to GET /me: {"password":"[redacted]"}
             request   GET http://127.0.0.1:3000/me?token=[redacted]
             response  403 {"error":"no","password":"[redacted]"}
             where     journeys/login.ts:12:5
  skipped    sign out
  failed (3 steps, 30 ms)

note: log in: mind this

FAILED  1 journey: 0 passed, 1 failed
report  qa/reports/report.html
`);
  });

  it("--verbose shows the requests of every step", async () => {
    const { stdout } = await seqqa(
      ["run", "log in", "--verbose"],
      setting(() => ({ result: journey() })),
    );
    expect(stdout).toContain(`sign in   12 ms
             request   POST http://127.0.0.1:3000/me?token=[redacted]
             response  200 {"error":"no","password":"[redacted]"}
`);
  });

  it("a directory of its name wins", async () => {
    const cwd = folderWith({ "qa/seqqa.yaml": "", "pay/shop.explore.ts": "" });
    const { inputs, journeyInputs } = await seqqa(["run", "pay"], setting(undefined, { cwd }));
    expect({ explored: inputs.length, run: journeyInputs.length }).toEqual({ explored: 1, run: 0 });
  });

  it("--parallel, --bail and --base-url reach the lanes", async () => {
    const { journeyInputs } = await seqqa(["run", "--all", "--parallel", "3", "--bail"], setting());
    expect(journeyInputs).toMatchObject([{ bail: true, config: { parallel: 3 } }]);
    const plain = await seqqa(["run", "pay", "--base-url", "http://127.0.0.1:9"], setting());
    expect(plain.journeyInputs).toMatchObject([{ bail: false, config: { parallel: 1, baseUrl: "http://127.0.0.1:9" } }]);
  });
});

describe("run --all", () => {
  it("runs every journey, or those whose name contains --only", async () => {
    const all = await seqqa(["run", "--all"], setting());
    expect(all.journeyInputs[0]?.journeys.map(({ name }) => name)).toEqual(names);
    expect(all.stdout).toContain("PASSED  3 journeys: 3 passed\nreport  qa/reports/report.html\n");
    const some = await seqqa(["run", "--all", "--only", "log"], setting());
    expect(some.journeyInputs[0]?.journeys.map(({ name }) => name)).toEqual(["log in", "login again"]);
  });

  it("the worst counts, and a file that is not usable is a failure of its own", async () => {
    const unusable = (at: string): FoundJourneys["unusable"] => {
      const file = join(at, "journeys/none.ts");
      return [{ file, error: new SeqqaError("NO_JOURNEY", `${file} exports nothing.`, { exitStatus: 2 }) }];
    };
    const given = setting(undefined, { journeys: (at) => ({ ...found(at), unusable: unusable(at) }) });
    const { status, stderr } = await seqqa(["run", "--all"], given);
    expect({ status, stderr }).toEqual({ status: 2, stderr: "error: qa/journeys/none.ts exports nothing.\n" });
    expect(written(given)).toMatchObject({ failures: [{ file: "qa/journeys/none.ts", code: "NO_JOURNEY" }], journeys: [{}, {}, {}] });
    const failing = { ...given, runJourneys: gives((name) => (name === "pay" ? { result: journey({ name }) } : {})) };
    expect((await seqqa(["run", "--all"], failing)).status).toBe(1);
    expect((await seqqa(["run", "--all", "--bail"], failing)).journeyInputs).toEqual([]);
  });

  it("--only keeps files that are not usable if their name contains the text", async () => {
    const unusable = (at: string): FoundJourneys["unusable"] =>
      ["log-out", "none"].map((name) => ({
        file: join(at, `journeys/${name}.ts`),
        error: new SeqqaError("LOAD_THREW", `${name}.ts threw an error.`, { exitStatus: 2 }),
      }));
    const given = setting(undefined, { journeys: (at) => ({ ...found(at), unusable: unusable(at) }) });
    const some = await seqqa(["run", "--all", "--only", "log"], given);
    expect({ status: some.status, stderr: some.stderr }).toEqual({
      status: 2,
      stderr: "error: qa/journeys/log-out.ts: log-out.ts threw an error.\n",
    });
    expect(written(given)).toMatchObject({ failures: [{ file: "qa/journeys/log-out.ts" }], journeys: [{}, {}] });
    expect(await seqqa(["run", "--all", "--only", "out"], given)).toMatchObject({
      status: 2,
      stderr: "error: qa/journeys/log-out.ts: log-out.ts threw an error.\n",
    });
    expect((await seqqa(["run", "--all", "--only", "pay"], given)).status).toBe(0);
  });

  it("an interruption: what was done is reported, with exit status 130", async () => {
    const given = setting(undefined, {
      runJourneys: (input, interrupt) => {
        interrupt();
        return input.signal.aborted ? gives(() => ({}))({ ...input, journeys: input.journeys.slice(0, 1) }) : [];
      },
    });
    const { status } = await seqqa(["run", "--all"], given);
    expect(status).toBe(130);
    expect(written(given)).toMatchObject({ exitStatus: 130, journeys: [{ name: "log in", status: "passed" }] });
  });

  it("a target that cannot be reached: 3, with what was done before", async () => {
    const given = setting(undefined, {
      runJourneys: (input) => {
        gives(() => ({}))({ ...input, journeys: input.journeys.slice(0, 2) });
        throw new SeqqaError("UNREACHABLE", "Connection refused: http://127.0.0.1:9");
      },
    });
    const { status, stderr } = await seqqa(["run", "--all"], given);
    expect({ status, stderr }).toEqual({ status: 3, stderr: "error: Connection refused: http://127.0.0.1:9\n" });
    expect(written(given)).toMatchObject({ journeys: [{ name: "log in" }, { name: "login again" }], failures: [{ file: "qa/journeys" }] });
  });

  it("--reporter json prints the document and nothing else", async () => {
    const given = setting(() => ({ result: journey() }));
    const { stdout } = await seqqa(["run", "--all", "--reporter", "json"], given);
    expect(stdout).toBe(readFileSync(join(given.cwd!, "qa/reports/results.json"), "utf8"));
    expect(stdout).not.toContain("secret-");
    expect(JSON.parse(stdout)).toMatchObject({
      journeys: [{ status: "failed", steps: [{ context: { set: { id: 7 } } }, {}, {}] }, {}, {}],
    });
  });
});

describe("list", () => {
  const files = { "qa/seqqa.yaml": "", "qa/shop.explore.ts": "" };

  it("names what there is, with what it holds", async () => {
    const { status, stdout } = await seqqa(
      ["list"],
      setting(undefined, { cwd: folderWith(files), names: { "shop.explore.ts": "the shop" } }),
    );
    expect(status).toBe(0);
    expect(stdout).toBe(`journey  log in       qa/journeys/0.ts    1 step
journey  login again  qa/journeys/1.ts    1 step
journey  pay          qa/journeys/2.ts    1 step
agent    the shop     qa/shop.explore.ts  3 actions, 1 invariant
`);
  });

  it("--json", async () => {
    const { stdout } = await seqqa(["list", "--json"], setting(undefined, { cwd: folderWith(files) }));
    expect(JSON.parse(stdout)).toMatchObject({
      seqqa: "0.6.4",
      journeys: [{ name: "log in", file: "qa/journeys/0.ts", steps: 1 }, {}, {}],
      explorations: [{ kind: "agent", name: "shop", file: "qa/shop.explore.ts", actions: 3, invariants: 1 }],
      unusable: [],
    });
  });

  it("only what is below the directory that is named; 2 when nothing there is usable", async () => {
    const cwd = folderWith({ ...files, "other/x.explore.ts": "" });
    expect((await seqqa(["list", "other"], setting(undefined, { cwd }))).stdout).toBe(
      "agent  x  other/x.explore.ts  3 actions, 1 invariant\n",
    );
    const broken = new SeqqaError("NO_JOURNEY", "It exports nothing.", { exitStatus: 2 });
    const none = {
      cwd: folder(),
      journeys: (at: string) => ({ journeys: [], unusable: [{ file: join(at, "journeys/a.ts"), error: broken }] }),
    };
    expect(await seqqa(["list"], none)).toMatchObject({ status: 2, stdout: "", stderr: "This file cannot be used: It exports nothing.\n" });
  });
});

describe("report", () => {
  it("is the last run, or the one that is asked for", async () => {
    const given = setting((name) => (name === "pay" ? { result: journey({ name }) } : {}));
    await seqqa(["run", "pay"], given);
    const { run } = written(given) as unknown as { run: string };
    const first = readFileSync(join(given.cwd!, "qa/reports/results.json"), "utf8");
    await new Promise((resolve) => setTimeout(resolve, 5));
    await seqqa(["run", "log in"], given);
    const last = readFileSync(join(given.cwd!, "qa/reports/results.json"), "utf8");
    expect((await seqqa(["report", "--format", "json", "--output", "-"], given)).stdout).toBe(last);
    expect(await seqqa(["report", "--run", run, "--format", "json", "--output", "-"], given)).toMatchObject({ status: 0, stdout: first });
    expect(await seqqa(["report", "--format", "junit", "--output", "out/j.xml"], given)).toMatchObject({ status: 0, stdout: "" });
    expect(readFileSync(join(given.cwd!, "out/j.xml"), "utf8")).toContain('<testsuite name="log in" tests="1" failures="0"');
    await seqqa(["report"], given);
    expect(existsSync(join(given.cwd!, "qa/reports/report.html"))).toBe(true);
    expect(await seqqa(["report", "--run", "nope"], given)).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(
        new RegExp(`^error: Run not found: nope\\.\nhint: The newest stored runs are: [\\d-]+[\\da-f]+, ${run}\\.\n$`),
      ) as string,
    });
  });

  it("all formats are written by run", async () => {
    const cwd = folderWith({ "qa/seqqa.yaml": "report: { formats: [html, json, junit] }" });
    await seqqa(["run", "pay"], setting(undefined, { cwd }));
    for (const name of ["report.html", "results.json", "junit.xml"]) expect(existsSync(join(cwd, "qa/reports", name))).toBe(true);
  });
});
