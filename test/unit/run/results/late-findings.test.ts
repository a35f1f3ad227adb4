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
  const what =
    "only_late changed the stores. The target also wrote tasks.reminded after it had answered, so the cause may be a timer or job of the target";
  expect(unjudged.reasons).toEqual([{ invariant: "rejected_means_unchanged", what, count: 2 }]);
});
