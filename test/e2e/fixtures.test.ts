import { describe, expect, it } from "vitest";
import { explore, fixtureModes, uuidCreates, type Counts, type FixtureMode, type Model } from "../models/index.ts";
import { full } from "../sizes.ts";
import { documentOf, emptyFolder, only, seqqa, type Explored } from "../support/e2e.ts";

/** Modes in which some actions never do anything, so that a run without findings is unverified. */
const IDLE: ReadonlySet<string> = new Set(["order-model lost payment", "order-model never ships"]);

/** Explores a fixture with its own configuration; everything but the budget is as a user would run it. */
async function run(fixture: string, env: Readonly<Record<string, string>>): Promise<Explored & { status: number | null }> {
  const output = emptyFolder();
  // Some folders have the same exploration in memory, too.
  const name = fixture === "demo" ? "shop" : fixture;
  const command = ["run", `fixtures/${fixture}`, "--only", name, "--reporter", "json", "--max-steps", "9000000", "--output", output];
  const ran = await seqqa(command, { env, timeoutMs: full ? 3_000_000 : 100_000 });
  expect(ran.stderr).toBe("");
  const document = documentOf(ran);
  expect(document.exitStatus).toBe(ran.status);
  return { ...only(document), status: ran.status };
}

/** What a run must say by the model. */
function expectations(model: Model<unknown>, counts: Counts, isIdle: boolean): object {
  const found = Object.keys(counts.findings);
  return {
    status: found.length > 0 ? 1 : isIdle ? 3 : 0,
    statesVisited: counts.states,
    transitions: counts.transitions,
    steps: counts.transitions,
    skipped: counts.skipped,
    errors: [],
    divergences: [],
    actions: [...model.actions].sort(),
  };
}

/**
 * In the quick suite these: bugs of sequences, ids of a sequence and triggers. `unit/fixtures` and `process/fixtures` hold the others to their models,
 * and e2e/identity (uuids, times), replay (logins), state-graph, late, run-store and rules-on-clean run most of them.
 */
const QUICK: ReadonlySet<string> = new Set(["stale-read bug", "autoincrement clean", "own-triggers bug"]);
const modes = full ? fixtureModes : fixtureModes.filter(({ fixture, mode }) => QUICK.has(`${fixture} ${mode}`));

describe.each(modes)("fixture $fixture, $mode", ({ fixture, mode, env, model }: FixtureMode) => {
  it("equals its model", async () => {
    const counts = explore(model);
    const result = await run(fixture, env);
    expect({ ...result, actions: Object.keys(result.coverage.actions).sort() }).toMatchObject(
      expectations(model, counts, IDLE.has(`${fixture} ${mode}`)),
    );
    expect(result.stopReason).toBe("exhausted");

    // One violation per rule, last action and status; the shortest of each rule is as short as the model's.
    const shortest: Record<string, number> = {};
    for (const { invariant, reproductionPath, confirmed } of result.violations) {
      expect({ invariant, confirmed }).toEqual({ invariant, confirmed: true });
      shortest[invariant] = Math.min(shortest[invariant] ?? Infinity, reproductionPath.length);
    }
    expect(shortest).toEqual(Object.fromEntries(Object.entries(counts.shortest).map(([name, path]) => [name, path.length])));
    const seen: Record<string, number> = {};
    for (const { invariant, count } of result.violations) seen[invariant] = (seen[invariant] ?? 0) + count;
    expect(seen).toEqual(counts.findings);
  });
});

describe("commuting creates with random ids and times", () => {
  // In the quick suite e2e/identity has ids and times of such creates.
  it.runIf(full).each([
    [5, 32],
    [6, 64],
  ] as const)("%i give %i states", async (creates, states) => {
    const result = await run("uuid-creates", { CREATES: String(creates) });
    expect(explore(uuidCreates(creates)).states).toBe(states);
    expect(result).toMatchObject({ status: 0, statesVisited: states, transitions: states * creates });
  });
});
