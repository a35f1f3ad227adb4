import { expect, it } from "vitest";
import { passedTimes } from "../../../../src/lane/state/saved-world.ts";
import type { TimeOrigin } from "../../../../src/state/values/origins.ts";
import { BROKEN } from "../../../../src/messages/lane-messages.ts";
import { behindFindings, diverged, timesPassed, violatingStates } from "../../../../src/run/results/verdict-exceptions.ts";
import { committerAt, findingNews, rowsOf, type Told } from "../../engine/rows.ts";

const time = (parts: Partial<TimeOrigin>): TimeOrigin => ({
  name: "step300000",
  step: 1,
  domain: JSON.stringify(["tables", "db", "orders", "lease_until"]),
  isFuture: false,
  isPassed: true,
  ...parts,
});
const fieldsOf = (...times: readonly TimeOrigin[]): readonly string[] =>
  passedTimes({ origins: { ids: new Map(), times: new Map(times.map((one, ms) => [ms, one])), steps: 1, at: "" } });

it("names each field whose time passed once, with how far it lay", () => {
  const held = time({ isFuture: true, isPassed: undefined, domain: JSON.stringify(["context", "until"]) });
  expect(fieldsOf(time({}), time({}), held)).toEqual(["orders.lease_until (5 min)"]);
  expect(fieldsOf(time({ name: "root0+1000" }))).toEqual(["orders.lease_until"]);
});

it("excepts times that passed from a verdict, and nothing else", () => {
  const divergence = { path: [], message: "passed", differences: ["orders.lease_until (5 min)"] };
  expect(
    timesPassed([
      { ...divergence, kind: "time_passed" },
      { ...divergence, kind: "time_passed" },
      { ...divergence, kind: "replay" },
    ]),
  ).toEqual([
    { kind: "time_passed", count: 1, text: "states from before the time orders.lease_until (5 min), which passed during the run" },
  ]);
});

it("excepts what divergences show, apart from times that passed", () => {
  const divergence = { path: [], message: "differs", differences: [] };
  expect(diverged([{ ...divergence, kind: "time_passed" }])).toEqual([]);
  expect(
    diverged([
      { ...divergence, kind: "cross_check" },
      { ...divergence, kind: "late_write" },
    ]),
  ).toEqual([{ kind: "divergence", count: 2, text: "states that 2 divergences may hide" }]);
});

it("excepts the states behind violating states and behind calls without an answer", () => {
  const committer = committerAt(["pay", "export"]);
  const commit = (action: number, told: Told): unknown =>
    committer.commit(0, action, { rows: rowsOf([told]), at: 0, stepEvents: findingNews(action) });
  const pay = { applied: 1, skipped: 0, statuses: { 200: 1 } };
  expect(behindFindings(committer, { pay })).toEqual([]);
  commit(1, { kind: BROKEN, found: true });
  expect(behindFindings(committer, { pay })).toEqual([
    { kind: "violating_states", count: 1, text: "states behind 1 call without an answer" },
  ]);
  expect(violatingStates(committer)).toBe(0);
  commit(0, { to: 1, found: true });
  const never = { applied: 0, skipped: 1, statuses: {} };
  expect(behindFindings(committer, { pay, download: never, added: { ...never, brought: true } })).toEqual([
    {
      kind: "violating_states",
      count: 2,
      text: "states behind 1 violating state and 1 call without an answer (1 action never ran and may apply there)",
    },
  ]);
});
