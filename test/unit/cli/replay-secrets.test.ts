import { describe, expect, it } from "vitest";
import { SeqqaError } from "../../../src/model/errors.ts";
import type { ReplayResult } from "../../../src/model/results/replay.ts";
import { result, violation } from "../../support/results.ts";
import { folderWith, seqqa, type Outcome } from "../../support/cli-harness.ts";

const SECRET = "zq7hush41f9c0";

/** A run that found something, and its replay. */
async function replayed(replay: () => ReplayResult, more = ""): Promise<Outcome> {
  const cwd = folderWith({ "a.explore.ts": "", "seqqa.yaml": `report: { formats: [json]${more} }\n` });
  const found = violation({ id: "0123456789abcdef", invariant: "rule", confirmed: true, reproductionPath: ["a", "b"], steps: [] });
  await seqqa(["run", "."], { cwd, explore: () => result({ violations: [found] }) });
  return seqqa(["replay", "0123"], { cwd, replay });
}

const exchange = (url: string, body: string): ReplayResult["steps"][number]["requests"][number] => ({
  request: { method: "GET", url, headers: {} },
  response: { status: 200, headers: {}, body },
  durationMs: 1,
});

describe("a replay", () => {
  it("prints no secret, wherever it stands: before the answer that shows it to be one, too, and in what a rule threw", async () => {
    const { status, stdout, stderr } = await replayed(() => ({
      steps: [
        { action: "a", status: 200, requests: [exchange(`http://h/u/${SECRET}`, "{}")] },
        { action: "b", status: 200, requests: [exchange("http://h/token", JSON.stringify({ token: SECRET }))] },
      ],
      completed: true,
      violations: [],
      errors: [{ code: "INVARIANT_THREW", source: "rule", message: `no way in with ${SECRET}, password=another-${SECRET}` }],
    }));
    expect({ status, stderr }).toEqual({ status: 3, stderr: "" });
    expect(stdout).toContain("GET /u/[redacted]");
    expect(stdout).toContain("because the rule gave no result: no way in with [redacted], password=[redacted]");
    expect(stdout).not.toContain(SECRET);
  });

  it("prints no secret of a target that did not come up", async () => {
    const { status, stdout, stderr } = await replayed(() => {
      throw new SeqqaError("TARGET_ENDED", `The target ended. Its last output:\n  | token=${SECRET}`, { exitStatus: 3 });
    });
    expect({ status, stderr }).toEqual({ status: 3, stderr: "error: The target ended. Its last output:\n  | token=[redacted]\n" });
    expect(stdout).not.toContain(SECRET);
  });

  it("quotes no body where requests and responses are left out", async () => {
    const body = "The body of GET http://h/a (status 200) is not JSON";
    const { stdout } = await replayed(
      () => ({
        steps: [],
        completed: true,
        violations: [],
        errors: [{ code: "INVARIANT_THREW", source: "rule", message: `${body}: "<b>what it was</b>" Read response.text.` }],
      }),
      ", include_request_response: false",
    );
    expect(stdout).toContain(`because the rule gave no result: ${body}: [not shown] Read response.text.`);
    expect(stdout).not.toContain("what it was");
  });
});
