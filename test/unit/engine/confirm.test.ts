import { describe, expect, it } from "vitest";
import { confirmViolations } from "../../../src/engine/confirm.ts";
import type { Expander } from "../../../src/engine/expander.ts";
import { FindingLog } from "../../../src/engine/finding-log.ts";
import { CRASHED, type FindingNews, type Recording } from "../../../src/engine/messages.ts";

const ACTIONS = ["create", "refund"];
const rule: FindingNews = { invariant: "within_amount", severity: "high", message: "refunded more than was paid" };
const crash: FindingNews = { invariant: CRASHED, severity: "critical", message: "The target stopped answering" };

const nothing = { findings: [], errors: [], reached: undefined, lines: [], brokeAt: undefined, failure: undefined };
const step = (action: string, status: number | null): Recording["steps"][number] => ({ action, status, requests: [] });
const again: Recording = { ...nothing, steps: [step("create", 201), step("refund", 200)], findings: [rule] };
const clean: Recording = { ...again, findings: [] };
/** The target went away under the last step. */
const lost: Recording = {
  ...nothing,
  steps: [step("create", 201), step("refund", null)],
  findings: [crash],
  brokeAt: 1,
  failure: "unreachable",
};

/** What a lane that is built anew each time makes of the path: an error is one that could not be had. */
async function confirm(found: FindingNews, status: number, ...lanes: readonly (Recording | Error)[]): Promise<unknown> {
  let rebuilt = 0;
  const expander = {
    lanes: 1,
    rebuild: () => (lanes[rebuilt++] instanceof Error ? Promise.reject(new Error("no lane")) : Promise.resolve()),
    record: () => Promise.resolve(lanes[rebuilt - 1]),
  };
  const log = new FindingLog();
  log.addViolation(found, "refund", status, [0, 1], null, undefined);
  const [violation] = await confirmViolations(log, ACTIONS, expander as unknown as Expander, undefined);
  return { rebuilt, confirmed: violation!.confirmed, recorded: violation!.recording !== undefined };
}

describe("replaying a finding from a clean start", () => {
  it("believes what it sees", async () => {
    expect(await confirm(rule, 200, again)).toEqual({ rebuilt: 1, confirmed: true, recorded: true });
    expect(await confirm(rule, 200, clean)).toEqual({ rebuilt: 1, confirmed: false, recorded: true });
    expect(await confirm(crash, 0, lost)).toEqual({ rebuilt: 1, confirmed: true, recorded: true });
    expect(await confirm(crash, 0, again)).toEqual({ rebuilt: 1, confirmed: false, recorded: true });
  });

  it("is begun again, once, when the lane was lost for another reason", async () => {
    expect(await confirm(rule, 200, lost, again)).toEqual({ rebuilt: 2, confirmed: true, recorded: true });
    expect(await confirm(rule, 200, new Error("busy"), again)).toEqual({ rebuilt: 2, confirmed: true, recorded: true });
    expect(await confirm(rule, 200, lost, clean)).toEqual({ rebuilt: 2, confirmed: false, recorded: true });
    expect(await confirm(rule, 200, lost, lost, again)).toEqual({ rebuilt: 2, confirmed: false, recorded: true });
    expect(await confirm(rule, 200, new Error("busy"), new Error("busy"))).toEqual({ rebuilt: 2, confirmed: false, recorded: false });
  });
});
