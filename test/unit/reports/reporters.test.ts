import { describe, expect, it } from "vitest";
import type { Progress } from "../../../src/engine/events.ts";
import { coloursFor, ConsoleReporter, JsonReporter, type ReporterOptions } from "../../../src/reports/index.ts";
import { HOSTILE, report, result, Sink, violation } from "../../support/results.ts";

const progress: Progress = {
  kind: "progress",
  states: 1234,
  steps: 5678,
  stepsPerSecond: 6840.4,
  frontier: 311,
  depth: 6,
  violations: 1,
  checksLeft: null,
  laneUse: [0.97, 0.5],
  laneSteps: [4000, 1678],
  laneRebuilds: [0, 2],
  elapsedMs: 830,
  maxSteps: 200_000,
  maxTimeMs: null,
};

function options(changes: Partial<ReporterOptions> & { readonly stdout: Sink; readonly stderr: Sink }): ReporterOptions {
  return { env: {}, verbose: false, visibility: { redact: ["authorization", "password"], includeRequestResponse: true }, ...changes };
}

const hostile = result({
  stopReason: "max_steps",
  open: 311,
  completeToDepth: 6,
  notes: [`a note ${HOSTILE}`],
  violations: [violation({ message: HOSTILE, count: 12 }), violation({ severity: "low", confirmed: false, id: "b" })],
  divergences: [
    {
      kind: "not_put_back",
      path: ["a", "b"],
      message: `not put back ${HOSTILE}`,
      differences: ["orders.1.status: paid -> created", HOSTILE],
      hint: "look",
    },
  ],
  errors: [
    {
      code: "ACTION_THREW",
      message: "boom\nsecond line",
      path: [],
      source: "pay",
      stack: "Error: boom\n    at run (file:///qa/shop.explore.ts:12:5)",
      count: 3,
    },
  ],
});

describe("the console", () => {
  it("prints results on standard output, safely", () => {
    const [stdout, stderr] = [new Sink(), new Sink()];
    const reporter = new ConsoleReporter(options({ stdout, stderr }));
    reporter.event("shop", { kind: "started", name: "shop", lanes: 2, notes: ["the API's own state is not put back"] });
    reporter.event("shop", progress);
    reporter.event("shop", { kind: "note", message: `lane 1 was rebuilt ${HOSTILE}` });
    reporter.explored({ name: "shop", file: "qa/shop.explore.ts", result: hostile });
    reporter.ended(report({ exitStatus: 1 }));
    expect(stdout.text).toMatchSnapshot();
    expect(stderr.text).toMatchSnapshot();
    expect(`${stdout.text}${stderr.text}`).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f]/); // oxlint-disable-line no-control-regex
    expect(stdout.text).toMatch(/ {2}seed {10}7\n$/);
  });

  it.each([
    ["once, where both streams have one reader", false, false, 1],
    ["once, on a terminal", true, true, 1],
    ["with the results, too, where those go elsewhere", false, true, 2],
  ])("says what is to be known from the start %s", (_, stdoutIsTTY, stderrIsTTY, times) => {
    const [stdout, stderr] = [new Sink(stdoutIsTTY), new Sink(stderrIsTTY)];
    const reporter = new ConsoleReporter(options({ stdout, stderr }));
    reporter.event("shop", { kind: "started", name: "shop", lanes: 2, notes: ["db: journal"] });
    reporter.event("shop", { kind: "note", message: "add led on" });
    reporter.explored({
      name: "shop",
      file: "qa/shop.explore.ts",
      result: result({ notes: ["db: journal", "add led on", "nearly every state is new"] }),
    });
    expect(`${stderr.text}${stdout.text}`.match(/note: db: journal$/gm)).toHaveLength(times);
    // What was said while it ran, too.
    expect(`${stderr.text}${stdout.text}`.match(/note: add led on$/gm)).toHaveLength(times);
    expect(stderr.text).toContain("note: db: journal");
    expect(stdout.text).toContain("note: nearly every state is new");
  });

  it("shows no secret of what it tells at once: notes, the target's output, errors of the run", () => {
    const stderr = new Sink();
    const reporter = new ConsoleReporter(options({ stdout: new Sink(), stderr }));
    reporter.event("shop", { kind: "started", name: "shop", lanes: 1, notes: ['context.password = "hush-41f9c0"'] });
    reporter.event("shop", {
      kind: "note",
      message: "lane 1 is being rebuilt",
      target: { exitCode: 1, signal: null, output: ["password=x", "and hush-41f9c0"] },
    });
    reporter.message("error: The target ended. Its last output:\n  Authorization: Bearer abc");
    expect(stderr.text).not.toMatch(/hush|=x|abc/);
    expect(stderr.text.match(/\[redacted\]/g)).toHaveLength(4);
  });

  it("says how far confirming is, in the line of the progress", () => {
    const stderr = new Sink(true);
    const reporter = new ConsoleReporter(options({ stdout: new Sink(true), stderr }));
    const confirming = { kind: "confirming", violations: 70, replayed: 15, confirmed: 14, toShorten: 3, leftMs: 61_000 } as const;
    reporter.event("shop", confirming);
    expect(stderr.text).toContain("shop  confirming findings  15/70 replayed  14 confirmed  at most 1 min 1 s left");
    reporter.event("shop", { ...confirming, replayed: 70, confirmed: 69, leftMs: null });
    expect(stderr.text).toContain("shop  confirming findings  70/70 replayed  69 confirmed  3 paths to shorten");
  });

  it("rewrites one line in place on a terminal, within its width, and takes it away", () => {
    const stderr = new Sink(true, 60);
    const reporter = new ConsoleReporter(options({ stdout: new Sink(), stderr }));
    reporter.event("shop 東京", progress);
    const [line = ""] = /[^\r]*(?=\x1b\[K)/.exec(stderr.text) ?? []; // oxlint-disable-line no-control-regex
    expect(stderr.text.startsWith("\r")).toBe(true);
    expect(line).toMatch(/^shop 東京 {2}1,234 states {2}5,678\/200,000 steps {2}6,840\/s/);
    expect(line.length).toBe(57); // two letters are two columns wide: 59 columns of 60
    expect(stderr.text).not.toContain("\n");
    reporter.event("shop", { kind: "finished", result: result() });
    expect(stderr.text.endsWith("\r\x1b[K")).toBe(true);
  });

  it("has a line for each lane with --verbose, rewritten in place, too", () => {
    const stderr = new Sink(true, 200);
    const reporter = new ConsoleReporter(options({ stdout: new Sink(), stderr, verbose: true }));
    reporter.event("shop", progress);
    const lines = ["  lane 0   97% at work  4,000 steps\x1b[K", "  lane 1   50% at work  1,678 steps  rebuilt 2 times\x1b[K"];
    expect(stderr.text.split("\n").slice(1)).toEqual(lines);
    stderr.text = "";
    reporter.event("shop", progress);
    expect(stderr.text.startsWith("\r\x1b[2A")).toBe(true);
    stderr.text = "";
    reporter.event("shop", { kind: "finished", result: result() });
    expect(stderr.text).toBe("\r\x1b[2A\x1b[J");
    const laneUse = Array.from({ length: 10 }, () => 0.5);
    reporter.event("shop", { ...progress, laneUse });
    expect(stderr.text.split("\n").at(-1)).toBe("  2 lanes more   50% at work\x1b[K");
  });

  it("says after the last step how many paths are executed again, instead of a rate and an estimate", () => {
    const stderr = new Sink(true, 200);
    const reporter = new ConsoleReporter(options({ stdout: new Sink(), stderr }));
    reporter.event("shop", { ...progress, elapsedMs: 60_000, checksLeft: 12 });
    expect(stderr.text).toContain("200,000 steps  depth 6  violations 1  checking the result, 12 paths to execute again\x1b");
  });

  it.each([
    ["before there is a rate", { elapsedMs: 2999 }, undefined],
    ["by the steps so far", { elapsedMs: 60_000, stepsPerSecond: 1000, steps: 20_000 }, "9 min 0 s"],
    ["by the time, where that is used up first", { elapsedMs: 60_000, stepsPerSecond: 1000, steps: 20_000, maxTimeMs: 70_000 }, "10.0 s"],
    ["by the time, where nothing moves", { elapsedMs: 60_000, stepsPerSecond: 0, maxTimeMs: 70_000 }, "10.0 s"],
    ["where nothing moves", { elapsedMs: 60_000, stepsPerSecond: 0 }, undefined],
    ["when it is over", { elapsedMs: 60_000, steps: 200_000, stepsPerSecond: 10 }, "0 ms"],
  ])("says how much time is left at most: %s", (_what, changes, expected) => {
    const stderr = new Sink(true, 200);
    new ConsoleReporter(options({ stdout: new Sink(), stderr })).event("shop", { ...progress, ...changes });
    expect(/at most (.*) to explore/.exec(stderr.text)?.[1]).toBe(expected);
  });

  it.each([
    ["no terminal", false, {}],
    ["CI", true, { CI: "true" }],
  ])("prints one line every ten seconds with %s, of journeys, too", (_what, isTTY, env) => {
    const stderr = new Sink(isTTY, 200);
    let at = 5000;
    const reporter = new ConsoleReporter(options({ stdout: new Sink(), stderr, env, verbose: true, now: () => at }));
    const printed = (milliseconds: number, work: () => void): number => {
      at += milliseconds;
      stderr.text = "";
      work();
      expect(stderr.text).not.toMatch(/[\r\x1b]/); // oxlint-disable-line no-control-regex
      return stderr.text.split("\n").length - 1;
    };
    const move = (): void => reporter.event("shop", progress);
    const step = (): void =>
      reporter.step("login", { name: "read", status: "passed", requests: [], context: { set: {}, deleted: [] }, durationMs: 1 });
    expect([printed(0, move), printed(9999, move), printed(1, move), printed(1, move), printed(9999, move)]).toEqual([0, 0, 3, 0, 3]);
    expect([printed(9999, step), printed(1, step), printed(5, step)]).toEqual([0, 1, 0]);
  });

  it.each([
    ["no terminal", false, {}],
    ["CI", true, { CI: "true" }],
    ["a dumb terminal", true, { TERM: "dumb" }],
  ])("has no progress line with %s", (_name, isTTY, env) => {
    const stderr = new Sink(isTTY);
    new ConsoleReporter(options({ stdout: new Sink(), stderr, env })).event("shop", progress);
    expect(stderr.text).toBe("");
  });

  it.each([
    [true, {}, true],
    [false, {}, false],
    [true, { NO_COLOR: "1" }, false],
    [true, { NO_COLOR: "" }, true],
    [false, { FORCE_COLOR: "1" }, true],
    [true, { FORCE_COLOR: "0" }, false],
    [false, { FORCE_COLOR: "1", NO_COLOR: "1" }, false],
    [true, { TERM: "dumb" }, false],
  ])("colours: terminal %s, %j -> %s", (isTTY, env, expected) => {
    expect(coloursFor({ isTTY }, env).isColorSupported).toBe(expected);
  });

  it("colours nothing but its own words: the text without colours is the same", () => {
    const text = (env: Record<string, string>): string => {
      const stdout = new Sink();
      new ConsoleReporter(options({ stdout, stderr: new Sink(), env })).explored({ name: "shop", file: "f", result: hostile });
      return stdout.text;
    };
    expect(text({ FORCE_COLOR: "1" }).replace(/\x1b\[\d+m/g, "")).toBe(text({})); // oxlint-disable-line no-control-regex
    expect(text({ FORCE_COLOR: "1" })).not.toBe(text({}));
  });
});

describe("json", () => {
  it("prints one document and nothing else", async () => {
    const [stdout, stderr] = [new Sink(), new Sink()];
    const reporter = new JsonReporter(options({ stdout, stderr }));
    reporter.event("shop", progress);
    const explorations = [{ name: "shop", file: "qa/shop.explore.ts", result: hostile }];
    await reporter.ended(
      report({ explorations, failures: [{ file: "x", code: "NO_AGENT", message: HOSTILE, hint: undefined }], exitStatus: 1 }),
    );
    // The script has tests of its own.
    expect(stdout.text.replace(/"curl": ".*"(?=,?$)/gm, '"curl": "(script)"')).toMatchSnapshot();
    expect(stderr.text).toBe("");
    expect(stdout.text).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u202e]/); // oxlint-disable-line no-control-regex
    const document = JSON.parse(stdout.text) as {
      readonly explorations: readonly { readonly violations: readonly { readonly message: string }[] }[];
    };
    expect(Object.keys(document)).toEqual([
      "seqqa",
      "format",
      "run",
      "startedAt",
      "failOnSeverity",
      "explorations",
      "journeys",
      "failures",
      "exitStatus",
    ]);
    expect(Object.keys(document.explorations[0] ?? {}).slice(0, 4)).toEqual(["name", "file", "statesVisited", "transitions"]);
    expect(document.explorations[0]?.violations[0]?.message).toBe(HOSTILE);
    expect(document).toMatchObject({ explorations: [{ graph: { parents: [-1, 0, 1], edgeStatus: [201, 200] } }] });
  });
});
