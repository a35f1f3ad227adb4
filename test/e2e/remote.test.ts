import { describe, expect, it } from "vitest";
import { explore } from "../models/index.ts";
import { remote } from "../models/remote.ts";
import { full, laneCounts } from "../sizes.ts";
import { documentOf, emptyFolder, only, seqqa, type Explored } from "../support/e2e.ts";

async function run(
  env: Readonly<Record<string, string>>,
  lanes: string,
  bounds: readonly string[],
): Promise<Explored & { status: number | null }> {
  const ran = await seqqa(
    ["run", "fixtures/remote", "--reporter", "json", "--max-steps", "100000", "--parallel", lanes, "--output", emptyFolder(), ...bounds],
    { env },
  );
  expect(ran.stderr).toBe("");
  return { ...only(documentOf(ran)), status: ran.status };
}

describe.each([
  ["Node", {}],
  ["Python", { SERVER: "python3 server.py" }],
] as const)("a target in %s that saves itself", (language, server) => {
  it.each(full ? [false, true] : [language === "Python"])("equals its model; bug: %s", async (bug) => {
    // In the quick suite the target with the bug is explored to exhaustion.
    const maxDepth = full || bug ? undefined : 2;
    const bounds = maxDepth === undefined ? [] : ["--max-depth", String(maxDepth)];
    const counts = explore(remote(bug), maxDepth === undefined ? {} : { maxDepth });
    const digests: string[] = [];
    for (const lanes of full ? laneCounts : ["1"]) {
      const result = await run({ ...server, ...(bug ? { BUG: "1" } : {}) }, lanes, bounds);
      expect(result).toMatchObject({
        status: bug ? 1 : 0,
        statesVisited: counts.states,
        transitions: counts.transitions,
        stopReason: maxDepth === undefined ? "exhausted" : "max_depth",
        divergences: [],
        errors: [],
      });
      const found: Record<string, number> = {};
      for (const { invariant, count, confirmed } of result.violations) {
        expect(confirmed).toBe(true);
        found[invariant] = (found[invariant] ?? 0) + count;
      }
      expect(found).toEqual(counts.findings);
      expect(result.notes.join("\n")).toContain("shop (remote): checkpoint remote (the target saves and restores its own state)");
      digests.push(result.digest);
    }
    expect(new Set(digests).size).toBe(1);
  });
});
