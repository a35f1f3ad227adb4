import { expect, it } from "vitest";
import { FindingLog, type FoundViolation } from "../../../../src/engine/findings/finding-log.ts";
import type { LanePool } from "../../../../src/engine/lane-pool.ts";
import type { Explorer, ExplorerOptions } from "../../../../src/engine/search/explorer.ts";
import { TimeLimit } from "../../../../src/engine/search/time-limit.ts";
import type { FindingEvent } from "../../../../src/messages/lane-messages.ts";
import { hasUnconfirmed, shortestViolations } from "../../../../src/run/explore/shrinking.ts";

const ACTIONS = ["buy", "pay"];
const rule: FindingEvent = { invariant: "no_gaps", severity: "high", message: "A number is missing" };
const options = { actions: ACTIONS, signal: undefined, maxTimeMs: Infinity, onEvent: () => {} } as unknown as ExplorerOptions;

function foundOn(path: readonly number[]): FoundViolation {
  const log = new FindingLog();
  const lastAction = ACTIONS[path.at(-1)!]!;
  return log.addViolation({ finding: rule, lastAction, status: 200, path, draws: undefined, state: null, stepEvents: undefined })!;
}

/** A search that committed these violations. */
function searched(...committed: readonly FoundViolation[]): Explorer {
  return {
    committer: {
      findings: { violations: new Map(committed.map((found) => [found.key, found])) },
      deepest: 9,
      nodes: { has: () => false },
      visited: { size: 0 },
    },
    divergences: { all: [], areLate: () => false },
    traits: { isShortestFirst: true },
    order: { waiting: () => [] },
    stopReason: "exhausted",
    limit: TimeLimit.NONE,
  } as unknown as Explorer;
}

/** A lane on which only the given paths break the rule. `replayed` collects the paths that it replays. */
function laneWith(broken: readonly (readonly number[])[], replayed: string[] = []): LanePool {
  const end = (path: readonly number[]) => ({
    status: 200,
    findings: broken.some((one) => String(one) === String(path)) ? [rule] : [],
    failure: undefined,
  });
  return {
    lanes: 1,
    rebuild: () => Promise.resolve({ contextOnly: false }),
    probe: (_lane: number, path: readonly number[]) => Promise.resolve({ ...end(path), steps: path.length }),
    record: (_lane: number, path: readonly number[]) => {
      replayed.push(String(path));
      return Promise.resolve({ ...end(path), steps: path.map((action) => ({ action: ACTIONS[action], status: 200, requests: [] })) });
    },
  } as unknown as LanePool;
}

it("takes the finding of an earlier search if the finding of the last search with the same rule and action does not occur again", async () => {
  const [flaky, real, other] = [foundOn([1]), foundOn([0, 0, 1]), foundOn([0, 0, 0, 1])];
  const found = await shortestViolations(searched(flaky), options, laneWith([[0, 0, 1]]), [other, real]);
  expect(found.map(({ path, confirmed }) => ({ path, confirmed }))).toEqual([{ path: [0, 0, 1], confirmed: true }]);
});

it("replays no finding of an earlier search if the finding of the last search occurs again", async () => {
  const replayed: string[] = [];
  const found = await shortestViolations(searched(foundOn([1])), options, laneWith([[1], [0, 1]], replayed), [foundOn([0, 1])]);
  expect(found.map(({ path, confirmed }) => ({ path, confirmed }))).toEqual([{ path: [1], confirmed: true }]);
  expect(new Set(replayed)).toEqual(new Set(["1"]));
});

it("keeps a finding that does not occur again if no earlier finding occurs again either", async () => {
  const found = await shortestViolations(searched(foundOn([1])), options, laneWith([]), [foundOn([0, 1])]);
  expect(found.map(({ path, confirmed }) => ({ path, confirmed }))).toEqual([{ path: [1], confirmed: false }]);
});

it("knows whether each violation of a search occurs again from a clean start", async () => {
  expect(await hasUnconfirmed(searched(foundOn([0]), foundOn([1])), options, laneWith([[0], [1]]))).toBe(false);
  expect(await hasUnconfirmed(searched(foundOn([0]), foundOn([1])), options, laneWith([[0]]))).toBe(true);
  expect(await hasUnconfirmed(searched(), options, laneWith([]))).toBe(false);
});
