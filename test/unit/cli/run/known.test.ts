import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { SeqqaError } from "../../../../src/model/errors.ts";
import type { ExplorationResult, FaultCoverage, Violation } from "../../../../src/model/results/result.ts";
import { race, raceCoverage } from "../../../support/race.ts";
import { result, violation } from "../../../support/results.ts";
import { folderWith, seqqa, type Outcome } from "../../../support/cli-harness.ts";

const CONFIG = "known_findings: ./known.yaml\n";
const folder = (known: string | undefined, more: Readonly<Record<string, string>> = {}): string =>
  folderWith({ "qa/seqqa.yaml": CONFIG, "qa/shop.explore.ts": "", ...(known === undefined ? {} : { "qa/known.yaml": known }), ...more });
const listOf = (cwd: string): string => readFileSync(join(cwd, "qa/known.yaml"), "utf8");
const summaryOf = (cwd: string): unknown =>
  (JSON.parse(readFileSync(join(cwd, "qa/reports/results.json"), "utf8")) as { knownFindings?: unknown }).knownFindings;
const run = (cwd: string, changes: Partial<ExplorationResult>, options: readonly string[] = [], directory = "qa"): Promise<Outcome> =>
  seqqa(["run", directory, ...options], { cwd, explore: () => result(changes) });
const finding = (id: string): Partial<ExplorationResult> => ({ violations: [violation({ id })] });

describe("known findings", () => {
  it("a listed finding is shown, marked, and does not fail the run", async () => {
    const cwd = folder("- id: a1\n  note: ticket 12\n");
    const { status, stdout } = await run(cwd, finding("a1"));
    expect(status).toBe(0);
    expect(stdout).toContain("[CRITICAL] refund_within_amount (known)\n");
    expect(stdout).toContain("\nknown findings: a1 (qa/known.yaml)\n\nPASSED  1 finding (1 critical, 1 known); ");
    expect(summaryOf(cwd)).toEqual({ file: "qa/known.yaml", found: ["a1"], stale: [], unseen: [] });
    expect(JSON.parse(readFileSync(join(cwd, "qa/reports/results.json"), "utf8"))).toMatchObject({
      explorations: [{ violations: [{ id: "a1", known: true }] }],
    });
  });

  it("a new one fails it, beside a listed one too; a listed flaky one does not", async () => {
    const cwd = folder("- a1\n");
    expect((await run(cwd, finding("b2"))).status).toBe(1);
    expect((await run(cwd, { violations: [violation({ id: "a1" }), violation({ id: "b2" })] })).status).toBe(1);
    expect((await run(cwd, { violations: [violation({ id: "a1", confirmed: false })] })).status).toBe(0);
  });

  const behind: Partial<ExplorationResult> = {
    verdict: { complete: false, text: "exhaustive except", exceptions: [{ kind: "violating_states", count: 1, text: "states behind" }] },
  };
  const ran = { applied: 1, skipped: 0, statuses: { "201": 1 } };
  const both = { coverage: { actions: { create_order: ran, refund_order: ran }, pairs: 1 } };
  const actions = { pay: { applied: 1, skipped: 0, statuses: {} } };

  it.each<readonly [string, string, Partial<ExplorationResult>, readonly string[], string, "stale" | "unseen" | "unchecked" | "nothing"]>([
    ["that no longer occurs", "- a1\n", {}, [], "qa", "stale"],
    ["after a budget was used up", "- a1\n", { stopReason: "max_steps" }, [], "qa", "unseen"],
    ["with a depth bound", "- a1\n", { stopReason: "max_depth" }, [], "qa", "unseen"],
    ["when user code threw", "- a1\n", { errors: [{ code: "X", message: "m", path: [], source: "pay", count: 1 }] }, [], "qa", "unseen"],
    ["whose rule was not checked", "- { id: a1, finding: r }\n", { invariants: ["r"], unjudgedRules: ["r"] }, [], "qa", "unseen"],
    ["beside a rule that was not checked", "- { id: a1, finding: r }\n", { invariants: ["r"], unjudgedRules: ["s"] }, [], "qa", "stale"],
    ["that a state may hide", "- a1\n", behind, [], "qa", "unseen"],
    ["whose path was not executed", "- { id: a1, path: [create_order, create_order] }\n", behind, [], "qa", "unseen"],
    ["whose path was executed", "- { id: a1, path: [create_order, refund_order] }\n", { ...behind, ...both }, [], "qa", "stale"],
    ["whose rule is no more", "- { id: a1, exploration: shop, finding: old }\n", {}, [], "qa", "unchecked"],
    ["of the target's end", "- { id: a1, finding: target_crashed }\n", {}, [], "qa", "stale"],
    ["of the time limit of an action", "- { id: a1, finding: pay_timeout }\n", { coverage: { actions, pairs: 1 } }, [], "qa", "stale"],
    ["of an action that is no more", "- { id: a1, finding: buy_timeout }\n", { coverage: { actions, pairs: 1 } }, [], "qa", "unchecked"],
    ["of a rule without a name, where one was not checked", "- a1\n", { unjudgedRules: ["s"] }, [], "qa", "unseen"],
    ["with --only", "- a1\n", {}, ["--only", "shop"], "qa", "unseen"],
    ["in a part of the folder", "- a1\n", {}, [], "qa/part", "unseen"],
    ["of an exploration that was run", "- { id: a1, exploration: y }\n", {}, [], "qa/part", "stale"],
    ["of another exploration", "- { id: a1, exploration: shop }\n", {}, [], "qa/part", "nothing"],
    ["of an exploration that is no more", "- { id: a1, exploration: old }\n", {}, [], "qa", "stale"],
  ])("one %s", async (_what, list, changes, options, directory, expected) => {
    const cwd = folder(list, { "qa/part/y.explore.ts": "" });
    const { status, stdout } = await run(cwd, changes, options, directory);
    expect(status).toBe(changes.errors === undefined ? 0 : 3);
    const ids = (kind: string): readonly string[] => (kind === expected ? ["a1"] : []);
    const unchecked = expected === "unchecked" ? { unchecked: ["a1"] } : {};
    expect(summaryOf(cwd)).toEqual({ file: "qa/known.yaml", found: [], stale: ids("stale"), unseen: ids("unseen"), ...unchecked });
    expect(stdout.includes("stale: a1 no longer occurs")).toBe(expected === "stale");
    expect(stdout.includes("not seen: a1")).toBe(expected === "unseen");
    expect(stdout.includes("no longer checked: a1")).toBe(expected === "unchecked");
  });

  it("a race is listed, marked and no reason to fail; --update-known adds it by its name", async () => {
    const cwd = folder("- r1\n");
    const races = [race({ id: "r1" })];
    const { status, stdout } = await run(cwd, { races, raceCoverage: raceCoverage() });
    expect([status, stdout.includes("[HIGH] refund_order || refund_order (known)")]).toEqual([0, true]);
    expect((await run(cwd, { races: [...races, race({ id: "r2" })] })).status).toBe(1);
    expect((await run(cwd, { races: [...races, race({ id: "r2" })] }, ["--update-known"])).status).toBe(0);
    expect(readFileSync(join(cwd, "qa/known.yaml"), "utf8")).toContain(
      "- id: r2\n  exploration: shop\n  finding: refund_order || refund_order\n  path: [ create_order, pay_order ]\n",
    );
  });

  it.each<readonly [string, Partial<ExplorationResult>, "stale" | "unseen"]>([
    ["races were not probed", {}, "unseen"],
    ["all were probed", { raceCoverage: raceCoverage() }, "stale"],
    ["time for races was up", { raceCoverage: raceCoverage({ skipped: { max_time: 3 } }) }, "unseen"],
    ["the target served one connection at a time", { raceCoverage: raceCoverage({ skipped: { one_connection: 3 } }) }, "unseen"],
    ["time for races was up before all were confirmed", { raceCoverage: raceCoverage({ dismissed: { max_time: 1 } }) }, "unseen"],
    ["only pairs of rules were probed", { raceCoverage: raceCoverage({ asked: ["r2"] }) }, "unseen"],
    ["its pair was probed for a rule", { raceCoverage: raceCoverage({ asked: ["r1"] }) }, "stale"],
    ["its calls have a finding", { raceCoverage: raceCoverage({ skipped: { finding: 1 } }) }, "unseen"],
  ])("a race that is not found where %s", async (_what, changes, expected) => {
    const cwd = folder("- r1\n");
    await run(cwd, changes);
    expect(summaryOf(cwd)).toMatchObject({ stale: expected === "stale" ? ["r1"] : [], unseen: expected === "unseen" ? ["r1"] : [] });
    await run(cwd, changes, ["--update-known"]);
    expect(readFileSync(join(cwd, "qa/known.yaml"), "utf8").includes("r1")).toBe(expected === "unseen");
  });

  const faultCoverage = (changes: Partial<FaultCoverage> = {}): FaultCoverage => ({
    calls: 2,
    counted: 2,
    points: 4,
    tried: 4,
    skipped: { same_kind: 3 },
    skippedPoints: {},
    missing: {},
    unconfirmed: 0,
    durationMs: 1,
    ...changes,
  });

  it.each<readonly [string, Partial<ExplorationResult>, "stale" | "unseen"]>([
    ["no faults were made", {}, "unseen"],
    ["all were tried", { faultCoverage: faultCoverage() }, "stale"],
    ["time was up", { faultCoverage: faultCoverage({ skipped: { max_time: 1 } }) }, "unseen"],
    ["a target did not recover", { faultCoverage: faultCoverage({ skippedPoints: { no_recovery: 1 } }) }, "unseen"],
    ["one was not confirmed", { faultCoverage: faultCoverage({ unconfirmed: 1 }) }, "unseen"],
    ["its call has a finding", { faultCoverage: faultCoverage({ skipped: { finding: 1 } }) }, "unseen"],
  ])("a finding of faults that is not found where %s", async (_what, changes, expected) => {
    const cwd = folder("- w1\n");
    await run(cwd, changes);
    expect(summaryOf(cwd)).toMatchObject({ stale: expected === "stale" ? ["w1"] : [], unseen: expected === "unseen" ? ["w1"] : [] });
  });

  it("a file that failed could have shown it", async () => {
    const cwd = folder("- a1\n", { "qa/z.explore.ts": "" });
    const explore = ({ entry }: { readonly entry: string }): ExplorationResult => {
      if (entry.endsWith("z.explore.ts")) throw new SeqqaError("UNREACHABLE", "Connection refused.");
      return result();
    };
    expect((await seqqa(["run", "qa"], { cwd, explore })).status).toBe(3);
    expect(summaryOf(cwd)).toMatchObject({ stale: [], unseen: ["a1"] });
  });

  it.each([
    [
      "no such file",
      undefined,
      /^error: The list of known findings qa\/known\.yaml does not exist\.\nhint: To create this list, type: seqqa run <directory> --update-known\n$/,
    ],
    ["a broken one", "- a1\n- {}\n", /^error: qa\/known\.yaml:2: this entry has no id, or its id contains white space\.\nhint: /],
  ])("%s is a mistake, and nothing is sent", async (_what, list, says) => {
    const { status, stderr, inputs } = await run(folder(list), {});
    expect(stderr).toMatch(says);
    expect({ status, sent: inputs.length }).toEqual({ status: 2, sent: 0 });
  });
});

describe("--update-known", () => {
  it("writes what was found and confirmed, and takes out what no longer occurs", async () => {
    const cwd = folder(undefined);
    const of = (id: string, more: Partial<Violation> = {}): Violation => violation({ id, reproductionPath: ["create_order"], ...more });
    const violations = [of("b2"), of("a1"), of("c3", { confirmed: false })];
    const first = await run(cwd, { violations }, ["--update-known"]);
    expect(first.status).toBe(3); // the flaky one is nothing to rely on
    expect(listOf(cwd)).toBe(
      ["a1", "b2"].map((id) => `- id: ${id}\n  exploration: shop\n  finding: refund_within_amount\n  path: [ create_order ]\n`).join(""),
    );
    expect((await run(cwd, { violations: violations.slice(0, 2) })).status).toBe(0);
    expect((await run(cwd, { violations: [of("a1")] }, ["--update-known"])).status).toBe(0);
    expect(listOf(cwd)).not.toContain("b2");
  });

  it.each([
    ["console", "stdout"],
    ["json", "stderr"],
  ] as const)("says what it wrote and took out: --reporter %s, on %s", async (reporter, stream) => {
    const cwd = folder("- a1\n- d4\n");
    const violations = [violation({ id: "b2" }), violation({ id: "c3" }), violation({ id: "d4" })];
    const first = await run(cwd, { violations }, ["--update-known", "--reporter", reporter]);
    expect(first[stream].split("\n")).toContain("qa/known.yaml: 2 added, 1 removed (a1)");
    const second = await run(cwd, { violations }, ["--update-known", "--reporter", reporter]);
    expect(second[stream].split("\n")).toContain("qa/known.yaml: 0 added, 0 removed");
    expect((await run(cwd, { violations }, ["--reporter", reporter]))[stream]).not.toContain(" added, ");
  });

  it("takes nothing out that a call without an answer may hide, nor what no rule checks any more", async () => {
    const cwd = folder("- a1\n- { id: b1, exploration: shop, finding: old }\n");
    await run(cwd, { violations: [violation({ id: "b2", invariant: "target_crashed", state: null })] }, ["--update-known"]);
    expect(listOf(cwd)).toMatch(/^- a1\n- \{ id: b1/);
  });

  it("takes nothing out that a cut run did not come to", async () => {
    const cwd = folder("- a1\n");
    await run(cwd, { ...finding("b2"), stopReason: "max_steps" }, ["--update-known"]);
    expect(listOf(cwd)).toMatch(/^- a1\n- id: b2\n/);
  });

  it("leaves the list alone when the run was interrupted", async () => {
    const cwd = folder("- a1\n");
    const { status } = await seqqa(["run", "qa", "--update-known"], {
      cwd,
      explore: (_input, interrupt) => {
        interrupt();
        return result({ ...finding("b2"), stopReason: "interrupted" });
      },
    });
    expect(status).toBe(130);
    expect(listOf(cwd)).toBe("- a1\n");
  });
});
