import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ExplorationResult } from "../../../../src/model/results/result.ts";
import { SeqqaError } from "../../../../src/model/errors.ts";
import { readFindings } from "../../../../src/run-log/index.ts";
import { race } from "../../../support/race.ts";
import { result, violation } from "../../../support/results.ts";
import { folderWith, seqqa, type Setting } from "../../../support/cli-harness.ts";

const files = { "qa/seqqa.yaml": "target: { command: node server.js }\n", "qa/shop.explore.ts": "", "qa/z/login.explore.mjs": "" };
const one = { "qa/seqqa.yaml": "exploration: { max_steps: 5 }\n", "qa/shop.explore.ts": "" };
const divergence = { kind: "replay", path: [], message: "m", differences: [] } as const;
const error = { code: "ACTION_THREW", message: "m", path: [], source: "pay", count: 1 };

const written = (cwd: string): Record<string, unknown> =>
  JSON.parse(readFileSync(join(cwd, "qa/reports/results.json"), "utf8")) as Record<string, unknown>;

describe("in a folder with several services", () => {
  const services = {
    "qa/seqqa.yaml": "exploration: { max_steps: 1 }\n",
    "qa/a.explore.ts": "",
    "b/qa/seqqa.yaml": "exploration: { max_steps: 2 }\n",
    "b/qa/orders/b.explore.ts": "",
  };
  const steps = async (...args: readonly string[]): Promise<readonly [readonly number[], string]> => {
    const { inputs, stderr } = await seqqa(["run", ...args], { cwd: folderWith(services), explore: () => result() });
    return [inputs.map(({ config }) => config.exploration.maxSteps), stderr];
  };

  it("a run uses the configuration of the service that was named", async () => {
    for (const named of ["b", "b/qa", "b/qa/orders"]) expect(await steps(named)).toEqual([[2], ""]);
    expect(await steps("qa")).toEqual([[1], ""]);
  });

  it("a run of several services names a configuration that it does not use", async () => {
    const note =
      "note: b/qa/orders/b.explore.ts uses the configuration qa/seqqa.yaml, although b/qa/seqqa.yaml is nearer. To use it, type: seqqa run b/qa\n";
    expect(await steps(".")).toEqual([[1, 1], note]);
    expect(await steps(".", "--config", "qa/seqqa.yaml")).toEqual([[1, 1], ""]);
  });
});

it("commands to repeat a finding work where the run was started, on every surface", async () => {
  const cwd = folderWith({ "other/seqqa.yaml": "", "other/shop.explore.ts": "" });
  const options = ["--output", "my out", "--allow-db", "shop"];
  const { stdout } = await seqqa(["run", "other", ...options, "--reporter", "agent"], {
    cwd,
    explore: () => result({ violations: [violation()] }),
  });
  const flags = "--config other/seqqa.yaml --output 'my out' --allow-db shop";
  expect(stdout).toContain(`  again: npx seqqa replay 3fa1b2c4 ${flags}\n`);
  expect(stdout).toContain("everything: my out/results.json");
  const html = readFileSync(join(cwd, "my out/report.html"), "utf8");
  expect(html).toContain(`data-copy="npx seqqa replay 3fa1b2c4 ${flags.replaceAll("'", "&#39;")}"`);
  expect(html).toContain(`"flags":"${flags}"`);
  const document = JSON.parse(readFileSync(join(cwd, "my out/results.json"), "utf8")) as object;
  expect(document).toMatchObject({ commandFlags: flags });
});

describe("the exit status", () => {
  it.each<readonly [string, Partial<ExplorationResult>, readonly string[], number]>([
    ["nothing found", {}, [], 0],
    ["a budget used up", { stopReason: "max_steps", open: 3 }, [], 0],
    ["a confirmed violation", { violations: [violation({ severity: "low" })] }, [], 1],
    ["one below the threshold", { violations: [violation({ severity: "medium" })] }, ["--fail-on-severity", "HIGH"], 0],
    ["one at the threshold", { violations: [violation({ severity: "high" })] }, ["--fail-on-severity", "high"], 1],
    ["none fails", { violations: [violation()] }, ["--fail-on-severity", "none"], 0],
    ["a flaky violation", { violations: [violation({ confirmed: false })] }, [], 3],
    ["a flaky and a confirmed one", { violations: [violation({ confirmed: false }), violation()] }, [], 1],
    ["a divergence", { divergences: [divergence] }, [], 3],
    ["user code that threw", { errors: [error] }, [], 3],
    ["a finding wins over doubt", { errors: [error], violations: [violation()] }, [], 1],
    ["interrupted wins over all", { stopReason: "interrupted", violations: [violation()] }, [], 130],
  ])("%s", async (_name, changes, options, expected) => {
    const cwd = folderWith(one);
    const { status } = await seqqa(["run", "qa", ...options], { cwd, explore: () => result(changes) });
    expect(status).toBe(expected);
    expect(written(cwd)).toMatchObject({
      seqqa: "0.6.4",
      explorations: [{ name: "shop", file: "qa/shop.explore.ts" }],
      exitStatus: expected,
    });
  });

  it("files that do not load are said before the first exploration starts; if none loads, nothing is started", async () => {
    const cwd = folderWith(files);
    const failed: string[][] = [];
    const explore = (): ExplorationResult => {
      failed.push(readFindings(join(cwd, "qa/reports"), undefined).data.document.failures.map(({ file }) => file));
      return result();
    };
    const broken = (file: string): Error | undefined =>
      file.endsWith("login.explore.mjs") ? new SeqqaError("LOAD_THREW", "It threw.") : undefined;
    expect((await seqqa(["run", "qa"], { cwd, explore, broken })).status).toBe(3);
    expect(failed).toEqual([["qa/z/login.explore.mjs"]]);
    const none = await seqqa(["run", "qa"], { cwd, explore, broken: () => new SeqqaError("LOAD_THREW", "It threw.", { exitStatus: 2 }) });
    expect([none.status, none.inputs]).toEqual([2, []]);
  });

  it("of several explorations is the worst; what failed is in the document and the others still run", async () => {
    const cwd = folderWith(files);
    const { status, stderr, stdout } = await seqqa(["run", "qa"], {
      cwd,
      explore: ({ entry }) => {
        if (entry.endsWith("shop.explore.ts"))
          throw new SeqqaError("UNREACHABLE", "Connection refused: http://127.0.0.1:9", { hint: "Is it running?" });
        return result({ violations: [violation()] });
      },
    });
    expect(status).toBe(1);
    expect(stderr).toBe("error: Connection refused: http://127.0.0.1:9\nhint: Is it running?\n");
    expect(stdout).toContain("Finding 1 of 1");
    expect(written(cwd)).toMatchObject({
      failures: [{ file: "qa/shop.explore.ts", code: "UNREACHABLE" }],
      explorations: [{ name: "login" }],
      exitStatus: 1,
    });
  });

  it("of explorations that all fail in the same way is printed once, and the run ends with the verdict", async () => {
    const cwd = folderWith(files);
    const thrown = new SeqqaError("TARGET_ENDED", "The target of lane 0 ended:\n  | SyntaxError", { hint: "Run target.command by hand." });
    const { status, stdout, stderr } = await seqqa(["run", "qa"], { cwd, explore: () => Promise.reject(thrown) });
    expect(status).toBe(3);
    expect(stderr.match(/SyntaxError/g)).toHaveLength(1);
    expect(stderr).toMatch(/\nerror: qa\/\S+: the same error as in qa\/\S+\.\n$/);
    expect(stdout).toMatch(/^UNVERIFIED {2}2 failures without a result$/m);
    expect(written(cwd)).toMatchObject({ failures: [{ code: "TARGET_ENDED" }, { code: "TARGET_ENDED" }] });
  });

  it.each([
    [2, new SeqqaError("NO_AGENT", "`agent` is not an Agent.", { exitStatus: 2 }), "error: qa/shop.explore.ts: `agent` is not an Agent.\n"],
    [3, new SeqqaError("UNREACHABLE", "Connection refused."), "error: Connection refused.\n"],
    [
      3,
      new TypeError("x is not a function"),
      "error: seqqa itself failed: x is not a function\nhint: Run the command again with --verbose. Report the printed stack trace as a defect of seqqa.\n",
    ],
  ])("is %i for an error of the file, which is named", async (expected, thrown, text) => {
    const cwd = folderWith(one);
    const failing = { cwd, explore: () => Promise.reject(thrown) };
    const { status, stderr } = await seqqa(["run", "qa"], failing);
    expect({ status, stderr }).toEqual({ status: expected, stderr: text });
    expect(written(cwd)).toMatchObject({ exitStatus: expected, explorations: [] });
    expect((await seqqa(["run", "qa", "--verbose"], failing)).stderr).toMatch(/\n\s+at /);
  });
});

describe("a run that executes nothing because of an option", () => {
  const impossible = (code: string) => () => Promise.reject(new SeqqaError(code, "Impossible.", { exitStatus: 2 }));

  it.each(["LANES_IMPOSSIBLE", "SHARD_IMPOSSIBLE"])("leaves the reports of the last run as they are (%s)", async (code) => {
    const cwd = folderWith({ ...one, "qa/seqqa.yaml": "report: { formats: [json, junit] }\n" });
    await seqqa(["run", "qa"], { cwd, explore: () => result({ violations: [violation()] }) });
    const before = written(cwd);
    const { status, stderr } = await seqqa(["run", "qa", "--parallel", "2"], { cwd, explore: impossible(code) });
    expect([status, stderr]).toEqual([2, expect.stringContaining("Impossible.")]);
    expect(written(cwd)).toEqual(before);
    expect(readdirSync(join(cwd, "qa/reports/runs"))).toEqual([`${String(before["run"])}.db`]);
  });

  it("is reported if another exploration of the run was executed", async () => {
    const cwd = folderWith(files);
    const explore: Setting["explore"] = ({ entry }) => (entry.endsWith("shop.explore.ts") ? impossible("SHARD_IMPOSSIBLE")() : result());
    expect((await seqqa(["run", "qa"], { cwd, explore })).status).toBe(2);
    expect(written(cwd)).toMatchObject({ failures: [{ code: "SHARD_IMPOSSIBLE" }], explorations: [{ name: "login" }], exitStatus: 2 });
  });
});

describe("options", () => {
  it.each([
    ["--parallel 9 --max-steps 5", "note: parallel is 9, but max_steps is only 5. seqqa starts all 9 lanes before the first step"],
    ["--parallel 5 --max-steps 5", ""],
  ])("%s: a note if there are more lanes than steps", async (line, said) => {
    const { stderr } = await seqqa(["run", "qa", ...line.split(" ")], { cwd: folderWith(one) });
    expect(stderr.slice(0, said.length)).toBe(said);
    expect(stderr.includes("note: parallel")).toBe(said !== "");
  });

  it("reach the engine as configuration, over the file", async () => {
    const cwd = folderWith(files);
    const line =
      "run qa --parallel 3 --strategy coverage-guided --max-steps 7 --max-depth 4 --max-time 90s --seed -5 --bail --only sh --output out --fail-on-severity Critical";
    const { status, inputs } = await seqqa(line.split(" "), {
      cwd,
      explore: (input) => (input.name.includes("sh") ? result() : undefined),
    });
    expect(status).toBe(0);
    expect(inputs).toHaveLength(2);
    expect(inputs[0]).toMatchObject({
      entry: join(cwd, "qa/shop.explore.ts"),
      name: "shop",
      only: "sh",
      config: {
        parallel: 3,
        exploration: { strategy: "coverage_guided", maxSteps: 7, maxDepth: 4, maxTime: 90, seed: -5, stopOnFirstViolation: true },
        report: { outputDir: join(cwd, "out") },
        failOnSeverity: "critical",
        target: { command: "node server.js", cwd: join(cwd, "qa") },
        folder: join(cwd, "qa"),
      },
    });
    expect(existsSync(join(cwd, "out/results.json"))).toBe(true);
  });

  it("--no-infra and --base-url use a target that already runs", async () => {
    const { inputs } = await seqqa(["run", "qa", "--no-infra", "--base-url", "http://127.0.0.1:9/"], { cwd: folderWith(files) });
    expect(inputs[0]?.config).toMatchObject({ baseUrl: "http://127.0.0.1:9", target: undefined });
  });

  it("--bail ends the run with the exploration that found something", async () => {
    const { inputs, status } = await seqqa(["run", "qa", "--bail"], {
      cwd: folderWith(files),
      explore: () => result({ violations: [violation()] }),
    });
    expect({ explored: inputs.length, status }).toEqual({ explored: 1, status: 1 });
  });

  it("--only that matches nothing is a mistake", async () => {
    const { status, stderr } = await seqqa(["run", "qa", "--only", "nope"], { cwd: folderWith(files), explore: () => undefined });
    expect(status).toBe(2);
    expect(stderr).toContain('--only found no exploration with "nope" in its name.');
  });

  it("--reporter json prints one document, the same as results.json, under the agent's name", async () => {
    const cwd = folderWith(one);
    const { stdout, stderr } = await seqqa(["run", "qa", "--reporter", "json"], {
      cwd,
      explore: ({ onEvent }) => {
        onEvent({ kind: "started", name: "the shop", lanes: 1, notes: [] });
        onEvent({ kind: "note", message: "something" });
        return result({ violations: [violation()] });
      },
    });
    expect(stderr).toBe("");
    expect(stdout).toBe(readFileSync(join(cwd, "qa/reports/results.json"), "utf8"));
    expect(JSON.parse(stdout)).toMatchObject({
      seqqa: "0.6.4",
      explorations: [{ name: "the shop", file: "qa/shop.explore.ts", steps: 187_525 }],
      journeys: [],
      exitStatus: 1,
    });
    expect(stdout).not.toContain("Bearer abc");
  });

  it("report.formats: [] writes nothing", async () => {
    const cwd = folderWith({ ...one, "qa/seqqa.yaml": "report: { formats: [] }" });
    await seqqa(["run", "qa"], { cwd });
    expect(existsSync(join(cwd, "qa/reports"))).toBe(false);
  });
});

describe("an interruption", () => {
  it("ends the run in order: what was found is reported, nothing more is started", async () => {
    const cwd = folderWith(files);
    const { status, stdout, stderr, inputs, exits } = await seqqa(["run", "qa"], {
      cwd,
      explore: ({ signal }, interrupt) => {
        interrupt();
        return result({ stopReason: signal.aborted ? "interrupted" : "exhausted", violations: [violation()] });
      },
    });
    expect({ status, explored: inputs.length, exits }).toEqual({ status: 130, explored: 1, exits: [] });
    expect(stdout).toContain("stopped       interrupted");
    expect(stderr).toContain("Interrupted. seqqa finishes the current steps");
    expect(written(cwd)).toMatchObject({ exitStatus: 130, explorations: [{ violations: [{}] }] });
  });

  it("that comes while reports are written is said in all of them", async () => {
    const cwd = folderWith(one);
    const { status, stdout, exits } = await seqqa(["run", "qa"], {
      cwd,
      // Nothing that waits for the event loop comes between the end of an exploration and the reports.
      explore: (_input, interrupt) => (setImmediate(interrupt), result({ violations: [violation()] })),
    });
    expect({ status, exits }).toEqual({ status: 130, exits: [] });
    expect(stdout.match(/Finding 1 of 1/g)).toHaveLength(1);
    expect(written(cwd)).toMatchObject({ exitStatus: 130, explorations: [{ stopReason: "exhausted", violations: [{}] }] });
    const report = await seqqa(["report", "--format", "json", "--output", "-", "--config", "qa/seqqa.yaml"], { cwd });
    expect(JSON.parse(report.stdout)).toMatchObject({ exitStatus: 130 });
  });

  it("forces with the second signal", async () => {
    const { exits } = await seqqa(["run", "qa"], {
      cwd: folderWith(one),
      explore: (_input, interrupt) => {
        interrupt();
        interrupt();
        return result({ stopReason: "interrupted" });
      },
    });
    expect(exits).toEqual([130]);
  });
});

describe("demo", () => {
  const faulty = violation({ fault: { kind: "error", store: "db", write: 1, statement: "UPDATE orders" } });
  const demo = (): string => folderWith({ "seqqa.yaml": "target: { command: node server.js }\n", "shop.explore.ts": "" });

  it("prints what the run found", async () => {
    const env = { SEQQA_EXPLORATION_MAX_STEPS: "1" };
    const found = result({ violations: [violation(), faulty], races: [race()] });
    const { status, stdout, inputs } = await seqqa(["demo"], { demo: demo(), env, explore: () => found });
    expect(status).toBe(0);
    expect(stdout).toContain("Finding 3 of 3, a race, id r3fa1b2c4d5e6f708\n[HIGH] refund_order || refund_order\n");
    expect(stdout).toContain(
      "  path      create_order -> refund_order -> refund_order\n  request   POST http://127.0.0.1:3000/orders/1/refund\n",
    );
    expect(inputs[0]?.config.exploration.maxSteps).toBe(1000);
  });

  it.each<readonly [string, Partial<ExplorationResult>, number]>([
    ["nothing found", {}, 3],
    ["only a flaky one", { violations: [violation({ confirmed: false }), faulty], races: [race()] }, 3],
    ["no race", { violations: [violation(), faulty] }, 3],
    ["no sequence bug", { violations: [faulty], races: [race()] }, 3],
    ["no fault", { violations: [violation()], races: [race()] }, 3],
    ["interrupted", { stopReason: "interrupted" }, 130],
  ])("%s", async (_name, changes, expected) => {
    expect((await seqqa(["demo"], { demo: demo(), explore: () => result(changes) })).status).toBe(expected);
  });

  it("says when it is not there", async () => {
    expect(await seqqa(["demo"], { demo: folderWith({ "a.txt": "" }) })).toMatchObject({ status: 3, stdout: "" });
  });
});
