import pc from "picocolors";
import { expect, it } from "vitest";
import { endLines } from "../../../../../src/reports/console/summary/end-text.ts";
import { operationCovered } from "../../../../../src/model/results/coverage.ts";
import { findingLines } from "../../../../../src/reports/console/findings/findings-text.ts";
import { ruleLines } from "../../../../../src/reports/console/summary/rules-text.ts";
import { race } from "../../../../support/race.ts";
import { report, result, violation } from "../../../../support/results.ts";

const plain = pc.createColors(false);
const coverage = {
  pairs: 1,
  actions: {
    pay: { applied: 3, skipped: 0, statuses: { 200: 2, 409: 1 } },
    refund: { applied: 2, skipped: 0, statuses: { 404: 2 } },
    guest: { applied: 2, skipped: 0, statuses: { 401: 2 }, brought: true as const },
  },
};

const explored = (changes: Parameters<typeof result>[0], exitStatus: number): ReturnType<typeof report> => ({
  ...report({ exitStatus }),
  explorations: [
    { name: "shop", file: "shop.explore.ts", result: result({ coverage, statesVisited: 21, invariants: ["first", "second"], ...changes }) },
  ],
});

const divergence = (kind: "late_write" | "replay" | "merge") => ({ kind, path: [], message: "m", differences: [] });

it.each([
  [0, {}, "PASSED  1 of 2 actions worked, 2 rules held in 21 states"],
  [
    0,
    { coverage: { pairs: 0, actions: { ...coverage.actions, refund: { ...coverage.actions.refund, mustBeRefused: true as const } } } },
    "PASSED  2 of 2 actions worked, 2 rules held in 21 states",
  ],
  [3, {}, "UNVERIFIED  1 of 2 actions worked, 2 rules held in 21 states"],
  [
    3,
    {
      coverage: { pairs: 0, actions: { ...coverage.actions, refund: { applied: 2, skipped: 0, statuses: { 0: 2 } } } },
      errors: [{ source: "refund", code: "ACTION_THREW", message: "no client", severity: "high", path: [], count: 2 }] as never,
    },
    "UNVERIFIED  1 of 2 actions worked, 2 rules held in 21 states; unverified because of 1 error",
  ],
  [
    3,
    { divergences: [divergence("late_write"), divergence("replay"), divergence("merge")], unverified: ["one", "two"] },
    'UNVERIFIED  1 of 2 actions worked, 2 rules held in 21 states; unverified because of 1 late write, 2 divergences, and 2 "unverified" lines',
  ],
  [130, { divergences: [divergence("late_write")] }, "INTERRUPTED  1 of 2 actions worked, 2 rules held in 21 states"],
  [
    1,
    { violations: [violation({ invariant: "first", severity: "low" }), violation({ invariant: "first", known: true })] },
    "FAILED  2 findings (1 critical, 1 low, 1 known); 1 of 2 actions worked, 1 of 2 rules held in 21 states",
  ],
])("exit status %i is said in one line with counts", (exitStatus, changes, expected) => {
  expect(endLines(explored(changes, exitStatus), plain)).toEqual(["", expected]);
});

it("names the report, and the command that replays the first finding that has a path", () => {
  const violations = [violation({ id: "nowhere1", reproductionPath: [], state: null }), violation({ id: "somewher", severity: "low" })];
  const files = ["out/results.json", "out/report.html"];
  const replayWith = (id: string): string => `npx seqqa replay ${id}`;
  const lines = endLines({ ...explored({ violations }, 1), files, replayWith }, plain);
  expect(lines.slice(-2)).toEqual(["report  out/report.html", "replay  npx seqqa replay somewher"]);
  const more = ["other123456", "another12", "third", "fourth"].map((id) => violation({ id, severity: "low" }));
  const withOthers = (count: number) =>
    endLines({ ...explored({ violations: [...violations, ...more.slice(0, count)] }, 1), replayWith }, plain).at(-1);
  expect(withOthers(1)).toBe("replay  npx seqqa replay somewher   # or other123");
  expect(withOthers(4)).toBe("replay  npx seqqa replay somewher   # or other123, another1, third and 1 more");
  expect(endLines({ ...explored({ violations }, 1), files: ["out/results.json"] }, plain).at(-1)).toBe("report  out/results.json");
});

it("findings come with the most severe first, those of one cause together", () => {
  const violations = [
    violation({ id: "a", invariant: "low_one", severity: "low" }),
    violation({ id: "b", invariant: "one", cause: "a null owner" }),
    violation({ id: "c", invariant: "two" }),
    violation({ id: "d", invariant: "three", cause: "a null owner" }),
  ];
  const lines = findingLines({ violations, races: [race({ severity: "high", id: "r" })] }, plain).filter((line) =>
    line.startsWith("Finding"),
  );
  expect(lines.map((line) => line.replace(/.*id /, ""))).toEqual(["b", "d", "c", "r", "a"]);
});

it("a rule that was inconclusive somewhere has no check mark, nor has any where the target shed load", () => {
  const unjudged = result({ invariants: ["first", "second"], unjudgedRules: ["second"] });
  expect(ruleLines(unjudged, plain)).toEqual(["  ? second (not fully checked, see the notes and errors)", "  ✓ first"]);
  const errors = [{ code: "TARGET_OVERLOADED", message: "m", path: [], source: "target", count: 1 }];
  expect(ruleLines(result({ invariants: ["first"], errors }), plain)).toEqual(["  ? first (not fully checked, see the notes and errors)"]);
});

it("a rule that held has a check mark; one that could not be judged has not", () => {
  const errors = [{ code: "INVARIANT_THREW", message: "m", path: [], source: "third", count: 1 }];
  const lines = ruleLines(
    result({ invariants: ["first", "second", "third"], violations: [violation({ invariant: "second" })], errors }),
    plain,
  );
  expect(lines).toEqual(["  ✗ second", "  ? third (not fully checked, see the notes and errors)", "  ✓ first"]);
});

it("counts the operations of all explorations together, and the code that was executed", () => {
  const seen = (...statuses: readonly number[]) => [
    operationCovered({ method: "GET", path: "/orders", described: ["200", "404"] }, statuses),
    operationCovered({ method: "POST", path: "/orders", described: ["201"] }, []),
  ];
  const { explorations, ...rest } = explored({ coverage: { ...coverage, operations: seen(200) } }, 0);
  const both = [...explorations, ...explored({ coverage: { ...coverage, operations: seen(404, 500) } }, 0).explorations];
  const code = { lines: { total: 200, covered: 199 }, branches: { total: 3, covered: 3 }, files: [], processes: 1, notes: [] };
  const lines = endLines({ ...rest, explorations: both, coverage: { code } }, plain);
  expect(lines.slice(-2)).toEqual([
    "operations   1 of 2 called, 2 of 3 described statuses seen",
    "code         99 % of lines, 100 % of branches",
  ]);
  const none = { ...code, lines: { total: 0, covered: 0 }, processes: 0, notes: ["No target wrote\nits coverage."] };
  const unmeasured = endLines({ ...rest, explorations, coverage: { code: none } }, plain);
  expect(unmeasured.slice(-2)).toEqual(["code         not measured", expect.stringMatching(/^note: No target wrote.*its coverage\.$/)]);
});
