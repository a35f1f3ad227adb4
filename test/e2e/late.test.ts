import { describe, expect, it } from "vitest";
import { laneCounts } from "../sizes.ts";
import { explore, late } from "../models/index.ts";
import { emptyFolder, only, seqqa, writtenIn } from "../support/e2e.ts";

describe("an API that commits 50 ms after its answer", () => {
  it("is reported with the remedy, and the run does not vouch", async () => {
    const output = emptyFolder();
    const ran = await seqqa(["run", "fixtures/late", "--output", output]);
    expect(ran.status).toBe(3);
    const { divergences, violations } = only(writtenIn(output));
    expect(violations).toEqual([]);
    const late = divergences.filter(({ kind }) => kind === "late_write");
    expect(late.length).toBeGreaterThan(0);
    for (const { path, message, hint } of late) {
      expect(path.length).toBeGreaterThan(0);
      expect(message).toMatch(/^Late writes: action "\w+" was answered before its work was committed/);
      expect(hint).toContain("target.settle");
    }
    expect(ran.stdout).toMatch(/^Divergence \(late write\)$/m);
    expect(ran.stdout).toMatch(/^ {2}hint .*target\.settle/m);
  });

  it.each(laneCounts)("is explored exactly once it is waited for, with --parallel %s", async (parallel) => {
    const output = emptyFolder();
    const ran = await seqqa(["run", "fixtures/late", "--parallel", parallel, "--output", output], { env: { SETTLE: "200ms" } });
    expect({ status: ran.status, stderr: ran.stderr.replace(/^note: .*\n/gm, "") }).toEqual({ status: 0, stderr: "" });
    const { states, transitions } = explore(late(false));
    expect({ states, transitions }).toEqual({ states: 4, transitions: 12 });
    expect(only(writtenIn(output))).toMatchObject({
      statesVisited: states,
      transitions,
      stopReason: "exhausted",
      errors: [],
      divergences: [],
    });
  });

  it("shows its defect once it is waited for", async () => {
    const output = emptyFolder();
    const ran = await seqqa(["run", "fixtures/late", "--output", output], { env: { SETTLE: "200ms", BUG: "1" } });
    expect(ran.status).toBe(1);
    const counts = explore(late(true));
    expect(only(writtenIn(output))).toMatchObject({ statesVisited: counts.states, transitions: counts.transitions });
  });
});
