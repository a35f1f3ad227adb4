import { expect } from "vitest";
import { emptyFolder, only, seqqaProcess, writtenIn, type Explored } from "../support/e2e.ts";

/** A run of one of the folders here, with races, that used up its 200 steps and diverged nowhere. */
export interface TwoHundredSteps {
  readonly result: Explored;
  readonly findings: readonly (readonly [invariant: string, path: readonly string[]])[];
  readonly races: readonly string[];
}

/** Runs a folder on so many lanes. Nothing diverges, no lane is rebuilt, and no search begins again: what is not known of a target's values before the search would show so. */
export async function twoHundredSteps(folder: string, env: Readonly<Record<string, string>>, lanes: number): Promise<TwoHundredSteps> {
  const output = emptyFolder();
  const args = ["run", `test/real/${folder}`, "--parallel", String(lanes), "--output", output];
  const ran = await seqqaProcess(args, { env, timeoutMs: 900_000 });
  const result = only(writtenIn(output));
  expect(ran.status, ran.stderr).toBe(1);
  expect(ran.stderr).not.toMatch(/starts (?:lane \d+|all lanes) again|restarted the search/);
  expect(result).toMatchObject({ steps: 200, stopReason: "max_steps", divergences: [], errors: [], unverified: [] });
  const { statesVisited, violations, races, raceCoverage, durationMs, digest } = result;
  console.info(
    `${folder}, ${lanes} lanes: ${statesVisited} states in ${(durationMs / 1000).toFixed(1)} s, digest ${digest}; ` +
      `${raceCoverage!.probed} kinds of pairs, ${raceCoverage!.trials} trials`,
  );
  return {
    result,
    findings: violations.map(({ invariant, reproductionPath }) => [invariant, reproductionPath] as const),
    races: races.map(({ first, second }) => `${first} || ${second}`).toSorted(),
  };
}
