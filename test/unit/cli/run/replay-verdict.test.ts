import { expect, it } from "vitest";
import { verdictOf } from "../../../../src/cli/run/replay-verdict.ts";
import type { ReplayResult } from "../../../../src/model/results/replay.ts";

const step = (action: string, status: number | null): ReplayResult["steps"][number] => ({ action, status, requests: [] });
const finding = { invariant: "rule", reproductionPath: ["a", "b"], steps: [step("a", 201), step("b", 200)], confirmed: true };
const broken: ReplayResult["violations"] = [{ invariant: "rule", severity: "high", message: "m" }];

const replayed = (statuses: readonly (number | null)[], more: Partial<ReplayResult> = {}): ReplayResult => ({
  steps: statuses.map((status, at) => step(["a", "b"][at]!, status)),
  completed: true,
  violations: [],
  errors: [],
  ...more,
});

it.each<readonly [string, ReplayResult, boolean, string, number]>([
  ["the rule is broken again", replayed([201, 200], { violations: broken }), true, "fails", 1],
  ["it is broken though the way was another", replayed([500, 200], { violations: broken }), true, "fails", 1],
  ["the rule holds, and the last answer is another one", replayed([201, 409]), true, "gone", 0],
  ["another rule is broken", replayed([201, 200], { violations: [{ ...broken[0]!, invariant: "other" }] }), true, "gone", 0],
  ["a step before the last was answered otherwise", replayed([409, 200]), true, "diverged", 3],
  ["a step did not apply", replayed([201, null], { completed: false }), true, "diverged", 3],
  ["the rule threw", replayed([201, 200], { errors: [{ code: "INVARIANT_THREW", message: "m", source: "rule" }] }), true, "diverged", 3],
  ["a flaky one is not seen", replayed([201, 200]), false, "flaky", 3],
])("%s", (_what, result, confirmed, kind, exitStatus) => {
  expect(verdictOf({ ...finding, confirmed }, result)).toMatchObject({ kind, exitStatus });
});

it.each<readonly [string, readonly (number | null)[], boolean]>([
  ["refuses a step that succeeded", [409, 200], true],
  ["answers a step with a server error", [500, 200], false],
  ["does not answer a step", [null, 200], false],
])("the advice after a target that %s", (_what, statuses, isAdvised) => {
  const { sentence } = verdictOf(finding, replayed(statuses));
  expect(sentence.endsWith("If the API was fixed to refuse this step, run the exploration again.")).toBe(isAdvised);
});
