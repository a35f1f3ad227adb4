import { expect, it } from "vitest";
import { DivergenceLog } from "../../../../src/engine/commit/divergence-log.ts";
import { InconclusiveLog } from "../../../../src/engine/commit/inconclusive-log.ts";
import { FindingLog, type CommittedViolation } from "../../../../src/engine/findings/finding-log.ts";
import { withoutLate } from "../../../../src/run/results/late-findings.ts";

const refused = (lastAction: string, fields: readonly string[] | undefined): CommittedViolation => ({
  finding: { invariant: "rejected_means_unchanged", severity: "high", message: `${lastAction} changed the stores`, fields },
  lastAction,
  status: 409,
  path: [0],
  draws: undefined,
  state: null,
  stepEvents: undefined,
});

it("a refused call whose only changes were also written late is inconclusive, and no finding", () => {
  const findings = new FindingLog();
  const unjudged = new InconclusiveLog();
  const divergences = new DivergenceLog(["add"]);
  divergences.add({ kind: "late_write", path: [0], message: "wrote tasks.reminded late", differences: [], fields: ["tasks.reminded"] });
  for (const fields of [["tasks.reminded"], ["tasks.reminded"]]) findings.addViolation(refused("only_late", fields));
  for (const fields of [["tasks.reminded"], ["tasks.status"]]) findings.addViolation(refused("once_more", fields));
  for (const fields of [["tasks.reminded"], undefined]) findings.addViolation(refused("another_reason", fields));
  const seen = [...findings.violations.values()];
  const left = withoutLate({ committer: { findings, unjudged }, divergences }, seen);
  expect([...findings.violations.values()].map(({ lastAction }) => lastAction)).toEqual(["once_more", "another_reason"]);
  expect(left.map(({ lastAction }) => lastAction)).toEqual(["once_more", "another_reason"]);
  const whatOf = (action: string): string =>
    `${action} changed the stores. The target also wrote tasks.reminded after it had answered, so the cause may be a timer or job of the target`;
  expect(unjudged.reasons).toEqual([
    { invariant: "rejected_means_unchanged", what: whatOf("only_late"), count: 2, actions: new Set() },
    { invariant: "rejected_means_unchanged", what: whatOf("once_more"), count: 1, actions: new Set() },
    { invariant: "rejected_means_unchanged", what: whatOf("another_reason"), count: 1, actions: new Set() },
  ]);
});

it("a finding shows the shortest path to a violation that no late write explains, and counts only such violations", () => {
  const findings = new FindingLog();
  const divergences = new DivergenceLog(["add"]);
  divergences.add({ kind: "late_write", path: [0], message: "wrote tasks.reminded late", differences: [], fields: ["tasks.reminded"] });
  const add = (path: readonly number[], fields: readonly string[]): unknown =>
    findings.addViolation({ ...refused("add", fields), path, from: path.length });
  add([0, 0, 0], ["tasks.reminded"]);
  add([0, 0, 0, 0], ["tasks.status"]);
  add([0, 0], ["tasks.status", "tasks.reminded"]);
  add([0], ["tasks.reminded"]);
  add([0, 0, 0], ["tasks.status"]);
  expect([...findings.violations.values()]).toMatchObject([{ count: 5, path: [0], from: [3, 4, 2, 1, 3] }]);
  const seen = [...findings.violations.values()];
  const left = withoutLate({ committer: { findings, unjudged: new InconclusiveLog() }, divergences }, seen);
  for (const rest of [[...findings.violations.values()], left]) {
    expect(rest).toMatchObject([{ count: 3, path: [0, 0], finding: { fields: ["tasks.status", "tasks.reminded"] } }]);
    expect(rest[0]!.from.toSorted((a, b) => a - b)).toEqual([2, 3, 4]);
  }
});
