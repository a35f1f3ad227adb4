import { expect, it } from "vitest";
import { recommit, type Recorded, type Recommitting } from "../../../../src/engine/commit/recommit.ts";
import { FindingLog, partsOf } from "../../../../src/engine/findings/finding-log.ts";
import type { StepEvent } from "../../../../src/messages/lane-messages.ts";
import type { RecordedExchange } from "../../../../src/model/results/result.ts";

it("a resumed run has the stored requests of every part of a group of violations", async () => {
  const findings = new FindingLog();
  for (const fields of [["jobs.tick"], ["payments.id"]])
    findings.addViolation({
      finding: { invariant: "retry_safe", severity: "high", message: "sent again", fields },
      lastAction: "pay",
      status: 200,
      path: [0],
      draws: undefined,
      state: 1,
      stepEvents: { unit: 0, action: 0, findings: [], errors: [], exchanges: [] } as unknown as StepEvent,
    });
  const sent = [{ request: { method: "POST" } }] as unknown as readonly RecordedExchange[];
  const recorded = { batches: 0, lo: new Int32Array(), hi: new Int32Array(), digest: "d", sentFor: () => sent };
  const committer = { digest: { value: () => "d" }, nodes: {}, findings };
  await recommit(recorded as unknown as Recorded, { committer } as unknown as Recommitting);
  const group = [...findings.violations.values()][0]!;
  expect([group, ...partsOf(group)].map(({ stepEvents }) => stepEvents?.exchanges)).toEqual([sent, sent, sent]);
});
