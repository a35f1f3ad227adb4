import { describe, expect, it } from "vitest";
import { compareRuns, type RunDiff } from "../../../src/diff/index.ts";
import type { ExplorationEntry, RunDocument } from "../../../src/reports/index.ts";
import { race, raceCoverage } from "../../support/race.ts";
import { document, ran } from "../reports/hostile-report.ts";
import { step, violation } from "../../support/results.ts";
import { ACTIONS, exploredModel, order, type Model } from "./explored-model.ts";

const runOf = (...explorations: readonly ExplorationEntry[]): RunDocument => ({ ...document({}), explorations });
const between = (before: RunDocument, after: RunDocument): RunDiff =>
  compareRuns({ name: "main", document: before }, { name: "run 2", document: after })!;
/** The differences as `about kind subject: text | path`. */
const changes = (before: ExplorationEntry, after: ExplorationEntry): readonly string[] =>
  between(runOf(before), runOf(after)).parts.flatMap((part) =>
    part.changes.map(({ about, kind, subject, text, path }) =>
      [`${about} ${kind} ${subject}: ${text}`, ...(path === undefined ? [] : [path.join(" ")])].join(" | "),
    ),
  );
const clean = exploredModel(ACTIONS, order);
const found = (changed: Parameters<typeof violation>[0] = {}): ExplorationEntry["violations"][number] => ({
  ...violation({ reproductionPath: ["create", "pay", "refund", "refund"], ...changed }),
});

describe("equal behaviour is no difference", () => {
  it("whatever times, seeds, digests and the order of states are", () => {
    const other = exploredModel(ACTIONS.toReversed(), order, { digest: "0", durationMs: 1, seed: 99, strategy: "dfs", notes: ["a note"] });
    expect(other.graph.edgeTo).not.toEqual(clean.graph.edgeTo);
    expect(changes(clean, other)).toEqual([]);
  });

  it("nor is what a shorter run did not reach, of which a note tells", () => {
    const cut = exploredModel(ACTIONS, order, {
      isClosed: (state) => state === "created",
      open: 1,
      completeToDepth: 1,
      stopReason: "max_steps",
    });
    expect(changes(clean, cut)).toEqual([]);
    expect(changes(cut, clean)).toEqual([]);
    expect(between(runOf(clean), runOf(cut)).notes).toEqual([expect.stringContaining("shop of run 2 was not explored completely")]);
    const same = { name: "a.json", document: runOf(cut) };
    expect(compareRuns(same, same)?.notes).toHaveLength(1);
  });

  it("nor that a finding's calls were not made", () => {
    const broken = { ...clean, violations: [found()], invariants: ["refund_within_amount"] };
    const cut = exploredModel(ACTIONS, order, { isClosed: (state) => state !== "root", open: 1, stopReason: "max_steps" });
    expect(changes(broken, { ...cut, invariants: ["refund_within_amount"] })).toEqual([]);
  });

  it("nor races and faults that only one of the runs looked for", () => {
    expect(changes(clean, { ...clean, races: [race()], raceCoverage: raceCoverage() })).toEqual([]);
    const fault = found({ invariant: "torn_write", fault: { kind: "kill", store: "db", write: 2, statement: "UPDATE orders" } });
    expect(changes(clean, { ...clean, violations: [fault] })).toEqual([]);
  });
});

describe("an answer that changed", () => {
  const twice: Model = (state, action) => (state === "refunded" && action === "refund" ? [200, "refunded twice"] : order(state, action));
  it("is named with its shortest path, and what lies behind it is no further difference of answers", () => {
    expect(changes(clean, exploredModel(ACTIONS, twice))).toEqual([
      "answer changed refund: answers 200 instead of 409; it changes the state, and changed nothing before | create pay refund refund",
      "states changed states: 5 instead of 4",
      "states changed transitions: 11 instead of 9",
    ]);
  });

  it("is counted by states", () => {
    const other: Model = (state, action) => (action === "pay" && ["paid", "refunded"].includes(state) ? [410] : order(state, action));
    expect(changes(clean, exploredModel(ACTIONS, other))).toEqual([
      "answer changed pay: answers 410 instead of 409 in 2 states | create pay pay",
    ]);
  });

  it.each<readonly [string, Model, string]>([
    [
      "its effect",
      (state, action) => (state === "created" && action === "pay" ? [200] : order(state, action)),
      "answers 200 as before, but it changes nothing, and changed the state before",
    ],
    [
      "that it is called",
      (state, action) => (state === "created" && action === "pay" ? undefined : order(state, action)),
      "can no longer be called; it answered 200",
    ],
    [
      "that there is an answer",
      (state, action) => (state === "created" && action === "pay" ? [0, null] : order(state, action)),
      "answers nothing (no response) instead of 200; it leads to no state, and changed the state before",
    ],
  ])("may be %s", (_what, model, text) => {
    expect(changes(clean, exploredModel(ACTIONS, model))[0]).toBe(`answer changed pay: ${text} | create pay`);
  });

  it("is found where only one run has states, too", () => {
    const more = (status: number): ExplorationEntry =>
      exploredModel([...ACTIONS, "cancel"], (state, action) => {
        if (action === "cancel") return state === "paid" ? [200, "cancelled"] : [409];
        return state === "cancelled" ? [status] : order(state, action);
      });
    expect(changes(clean, more(418)).filter((one) => one.startsWith("a"))).toEqual([
      "action added cancel: added, answers 200, 409 | cancel",
      "answer changed create: also answers 418 | create pay cancel create",
      "answer changed pay: also answers 418 | create pay cancel pay",
      "answer changed refund: also answers 418 | create pay cancel refund",
    ]);
    expect(changes(more(418), clean)).toContain("answer changed pay: no longer answers 418 anywhere | create pay cancel pay");
    expect(changes(more(418), clean)).toContain("action removed cancel: removed, answered 200, 409 | cancel");
  });
});

describe("rules", () => {
  const rule = (entry: ExplorationEntry, ...violations: ExplorationEntry["violations"]): ExplorationEntry => ({
    ...entry,
    violations,
    invariants: ["refund_within_amount"],
  });
  it("that break, hold again, come and go", () => {
    const [holds, broken] = [rule(clean), rule(clean, found())];
    const path = "create pay refund refund";
    expect(changes(holds, broken)).toEqual([
      `rule worse refund_within_amount: no longer holds (critical): refunded more than was paid | ${path}`,
    ]);
    expect(changes(broken, holds)).toEqual([`rule better refund_within_amount: holds now | ${path}`]);
    expect(changes(clean, holds)).toEqual(["rule added refund_within_amount: added, and it holds"]);
    expect(changes(clean, broken)).toEqual([
      `rule worse refund_within_amount: added, and it does not hold (critical): refunded more than was paid | ${path}`,
    ]);
    expect(changes(broken, clean)).toEqual(["rule removed refund_within_amount: removed"]);
  });

  it.each<readonly [string, Partial<ExplorationEntry>]>([
    ["threw", { errors: [{ code: "INVARIANT_THREW", message: "m", path: [], source: "refund_within_amount", count: 1 }] }],
    ["was inconclusive", { unjudgedRules: ["refund_within_amount"] }],
    ["met an overloaded target", { errors: [{ code: "TARGET_OVERLOADED", message: "m", path: [], source: "shop", count: 1 }] }],
  ])("that %s do not count as held", (_what, facts) => {
    const unjudged = { ...rule(clean), ...facts };
    const [pay, refund] = [
      found({ id: "1", reproductionPath: ["create", "pay"] }),
      found({ id: "2", reproductionPath: ["create", "refund"] }),
    ];
    expect(changes(rule(clean, found()), unjudged)).toEqual([
      "rule changed refund_within_amount: no longer seen broken, but not fully checked, see the notes and errors | create pay refund refund",
    ]);
    expect(changes(clean, unjudged)).toEqual(["rule added refund_within_amount: added, not fully checked, see the notes and errors"]);
    expect(changes(rule(clean, pay, refund), { ...unjudged, violations: [pay] })).toEqual([
      "rule changed refund_within_amount: no longer seen broken by refund (200), but not fully checked, see the notes and errors | create refund",
    ]);
    expect(changes(rule(clean), unjudged)).toEqual([]);
  });

  it("that another call breaks, too", () => {
    const by = (id: string, action: string) => found({ id, reproductionPath: ["create", action], operations: undefined });
    expect(changes(rule(clean, by("1", "pay")), rule(clean, by("1", "pay"), by("2", "refund")))).toEqual([
      "rule worse refund_within_amount: is also broken by refund (200) (critical): refunded more than was paid | create refund",
    ]);
    expect(changes(rule(clean, by("1", "pay"), by("2", "refund")), rule(clean, by("1", "pay")))).toEqual([
      "rule better refund_within_amount: is no longer broken by refund (200) | create refund",
    ]);
  });

  it("and races, where both runs looked for them", () => {
    const races = [race({ first: "refund", second: "refund", prefix: ["create", "pay"] })];
    const [none, one] = [
      { ...clean, raceCoverage: raceCoverage() },
      { ...clean, races, raceCoverage: raceCoverage() },
    ];
    expect(changes(none, one)).toEqual([expect.stringMatching(/^race worse refund \|\| refund: race seen \(high\): /)]);
    expect(changes(one, none)).toEqual([expect.stringMatching(/^race better refund \|\| refund: race no longer seen/)]);
    const few = { ...none, raceCoverage: raceCoverage({ asked: [] }) };
    expect(changes(one, few)).toEqual([]);
    expect(changes(few, one)).toEqual([
      expect.stringMatching(/^race changed refund \|\| refund: race seen, but the first run may have missed it \(high\): /),
    ]);
  });

  it("that are added and that only a race breaks do not hold", () => {
    const raced = { ...rule(clean), races: [race({ invariant: "refund_within_amount" })], raceCoverage: raceCoverage() };
    expect(changes(clean, raced)).toEqual([
      expect.stringMatching(
        /^rule worse refund_within_amount: added, and it does not hold \(high\): .* \| create_order pay_order refund_order/,
      ),
    ]);
  });

  it("are newly broken only if the first run executed the path, and hold again only if the second did", () => {
    const behind = exploredModel(ACTIONS, order, {
      isClosed: (state) => state === "created",
      verdict: { complete: false, text: "", exceptions: [{ kind: "violating_states", count: 1, text: "states behind 1 violating state" }] },
    });
    const ofRules = (before: ExplorationEntry, after: ExplorationEntry): readonly string[] =>
      changes(before, after).filter((one) => one.startsWith("rule"));
    const broken = rule(clean, found());
    expect(ofRules(broken, rule(behind))).toEqual([]);
    expect(ofRules(rule(behind), broken)).toEqual([
      "rule changed refund_within_amount: does not hold, but the first run did not execute these calls (critical): refunded more than was paid | create pay refund refund",
    ]);
    const other = found({ id: "1", reproductionPath: ["create"], operations: undefined });
    expect(ofRules(rule(behind, other), rule(clean, other, found()))).toEqual([
      expect.stringMatching(
        /^rule changed refund_within_amount: is broken by refund \(200\), but the first run did not execute these calls/,
      ),
    ]);
    expect(ofRules({ ...rule(clean), unjudgedRules: ["refund_within_amount"] }, broken)).toEqual([
      expect.stringMatching(
        /^rule changed refund_within_amount: does not hold, but in the first run not fully checked, see the notes and errors/,
      ),
    ]);
    const lost = rule(behind, found({ id: "1", invariant: "target_crashed", reproductionPath: ["create"], state: null }));
    expect(ofRules(broken, { ...lost, verdict: clean.verdict })).toEqual([expect.stringMatching(/^rule worse target_crashed/)]);
  });
});

it("explorations and journeys come, go, and end otherwise", () => {
  const passed = ran({ status: "passed", steps: [step()] });
  const before = { ...document({ journeys: [passed] }), explorations: [clean, { ...clean, name: "old" }] };
  const failures = [{ file: "qa/shop.explore.ts", code: "NO_AGENT", message: "It exports no agent." }];
  const after = { ...document({ journeys: [ran()], failures }), explorations: [{ ...clean, name: "old" }] };
  const { parts } = between(before, after);
  expect(parts.map(({ name, changes: [first] }) => `${name}: ${first!.kind} ${first!.text}`)).toEqual([
    "shop: removed can no longer be explored: It exports no agent.",
    "login: worse failed at read (before: passed)",
  ]);
});

it("runs with nothing in common are not compared", () => {
  expect(compareRuns({ name: "a", document: runOf(clean) }, { name: "b", document: runOf({ ...clean, name: "other" }) })).toBeUndefined();
});

it.each<readonly [string, Partial<ExplorationEntry["graph"]>]>([
  ["depths", { nodes: 1_000_000_000 }],
  ["parents", { parents: [-1, 2, 1, 2] }],
  ["parentActions", { parentActions: [-1, 9, 0, 0] }],
  ["edgeFrom", { edgeFrom: clean.graph.edgeFrom.map(() => -1) }],
  ["edgeAction", { edgeAction: [] }],
  ["edgeTo", { edgeTo: clean.graph.edgeTo.map(() => 4) }],
])("refuses a graph whose %s are none", (name, wrong) => {
  const broken = { ...clean, graph: { ...clean.graph, ...wrong } };
  expect(() => between(runOf(clean), runOf(broken))).toThrow(`the list ${name} of the graph`);
});
