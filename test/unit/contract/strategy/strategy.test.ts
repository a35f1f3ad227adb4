import { describe, expect, it, onTestFinished, vi } from "vitest";
import { findingId } from "../../../../src/engine/findings/finding-id.ts";
import type { AgentDefinition } from "../../../../src/model/declare/agent.ts";
import { STRATEGY_KINDS, type StrategyKind } from "../../../../src/model/declare/search/strategy.ts";
import { explore, ledger } from "../../../models/index.ts";
import { full, size, some } from "../../../sizes.ts";
import { runExplorer, type Explored, type RunOptions } from "../../../support/run-explorer.ts";

/**
 * What every strategy promises, on the ledger in memory, counted by its independent model: to exhaustion and to a depth bound all
 * find the same; a budget is exact; violating paths end where they violate.
 */
/** The fixture reads its switch when it is imported; another query is another copy of it. */
async function agentOf(bug: boolean): Promise<AgentDefinition> {
  const before = process.env["BUG"];
  if (bug) process.env["BUG"] = "1";
  else delete process.env["BUG"];
  try {
    const module = `../../../../fixtures/ledger/memory.explore.ts?bug=${bug}`;
    return ((await import(module)) as { readonly agent: AgentDefinition }).agent;
  } finally {
    if (before === undefined) delete process.env["BUG"];
    else process.env["BUG"] = before;
  }
}

const clean = await agentOf(false);
const buggy = await agentOf(true);

const run = (agent: AgentDefinition, options: RunOptions): Promise<Explored> =>
  runExplorer(agent, { crossCheck: { first: 20, oneIn: 200 }, ...options });

const idsOf = async (options: RunOptions): Promise<readonly string[]> =>
  [...(await run(buggy, options)).explorer.committer.findings.violations.values()].map((found) => findingId("ledger", found));

let ids: Promise<readonly string[]> | undefined;
/** Of all findings up to a depth. */
const allIds = (): Promise<readonly string[]> => (ids ??= idsOf({ strategy: "bfs", maxDepth: 7 }));

/** `true`: the order of a strategy is drawn by the seed; `undefined`: ties may or may not occur. */
const DRAWS: Readonly<Partial<Record<StrategyKind, boolean>>> = { bfs: false, dfs: false, random: true, coverage_guided: true };

describe.each(STRATEGY_KINDS)("%s", (strategy) => {
  // `unit/property/engine` compares all strategies to exhaustion on small graphs.
  it.runIf(full)("to exhaustion: 14,425 states and 187,525 transitions", async () => {
    const { explorer } = await run(clean, { strategy });
    const { committer, stopReason } = explorer;
    const counts = explore(ledger(false));
    expect([committer.visited.size, committer.steps, committer.skipped]).toEqual([counts.states, counts.transitions, counts.skipped]);
    expect([committer.visited.size, committer.steps]).toEqual([14_425, 187_525]);
    expect([stopReason, committer.findings.violations.size, explorer.divergences.all]).toEqual(["exhausted", 0, []]);
  });

  it.each(some([3, 5, 1], 1))("to depth %d: what lies within it, all of it, each step once", async (maxDepth) => {
    const { explorer } = await run(clean, { strategy, maxDepth });
    const counts = explore(ledger(false), { maxDepth });
    expect([explorer.committer.visited.size, explorer.committer.steps]).toEqual([counts.states, counts.transitions]);
    expect(explorer.stopReason).toBe("max_depth");
    const depths = [...explorer.committer.nodes.depths()];
    expect(counts.statesAtDepth).toEqual(counts.statesAtDepth.map((_, depth) => depths.filter((one) => one === depth).length));
  });

  it("with a budget: exactly that many steps, the same ones for two lanes, and the first ones of a larger budget", async () => {
    const maxSteps = size(307, 1007);
    const small = (await run(clean, { strategy, maxSteps })).explorer;
    const larger = (await run(clean, { strategy, maxSteps: size(700, 2500) })).explorer;
    const two = (await run(clean, { strategy, maxSteps, lanes: 2, delays: true, depth: 2 })).explorer;
    expect([small.committer.steps, small.stopReason]).toEqual([maxSteps, "max_steps"]);
    expect(two.committer.digest.value()).toBe(small.committer.digest.value());
    expect(larger.committer.edges.to().slice(0, maxSteps)).toEqual(small.committer.edges.to());
    expect(larger.committer.edges.actions().slice(0, maxSteps)).toEqual(small.committer.edges.actions());
  });

  it("the same with lanes that come and go, all of them at times", async () => {
    const maxSteps = size(157, 1507);
    const small = (await run(clean, { strategy, maxSteps })).explorer;
    let asked = 0;
    // While no lane is open, the engine asks again at its next tick, which comes at once here.
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    onTestFinished(() => void vi.useRealTimers());
    let isTicking = false;
    const tick = (): void => {
      isTicking = false;
      if (vi.isFakeTimers()) vi.advanceTimersByTime(100);
    };
    const open = (): number => {
      const lanes = [0, 0, 3, 4, 1, 0, 2][Math.floor(asked++ / 11) % 7]!;
      if (lanes === 0 && !isTicking) {
        isTicking = true;
        setImmediate(tick);
      }
      return lanes;
    };
    const { explorer, lanePool } = await run(clean, { strategy, maxSteps, lanes: 4, delays: true, depth: 2, open });
    // Every number of open lanes was met.
    expect(asked).toBeGreaterThan(77);
    expect(lanePool.asked).toBeGreaterThanOrEqual(maxSteps);
    expect([explorer.committer.steps, explorer.stopReason]).toEqual([maxSteps, "max_steps"]);
    expect(explorer.committer.digest.value()).toBe(small.committer.digest.value());
  });

  it("with the planted bug: the pruned counts of the model", async () => {
    const bound = full ? {} : { maxDepth: 6 };
    const { explorer } = await run(buggy, { strategy, ...bound });
    const counts = explore(ledger(true), bound);
    expect([explorer.committer.visited.size, explorer.committer.steps]).toEqual([counts.states, counts.transitions]);
    const found = [...explorer.committer.findings.violations.values()];
    expect(found.length).toBeGreaterThan(0);
    for (const name of new Set(found.map(({ finding }) => finding.invariant))) {
      const groups = found.filter(({ finding }) => finding.invariant === name);
      expect(groups.reduce((sum, { count }) => sum + count, 0)).toBe(counts.findings[name]);
      const shortest = Math.min(...groups.map(({ path }) => path.length));
      if (strategy === "bfs") expect(shortest).toBe(counts.shortest[name]!.length);
      else expect(shortest).toBeGreaterThanOrEqual(counts.shortest[name]!.length);
    }
  });

  it("names a finding alike with any budget, seed and number of lanes", async () => {
    const all = new Set(await allIds());
    for (const options of [{ maxSteps: size(1500, 4000) }, { maxSteps: size(2000, 6000), seed: 3, lanes: 2, delays: true }]) {
      const ids = await idsOf({ strategy, maxDepth: 7, ...options });
      expect(new Set(ids).size).toBe(ids.length);
      expect(ids.length).toBeGreaterThan(0);
      expect(ids.filter((id) => !all.has(id))).toEqual([]);
    }
  });

  it("stops with the very step that breaks a rule first", async () => {
    const { explorer } = await run(buggy, { strategy, stopOnFirstViolation: true, lanes: 2, delays: true });
    expect(explorer.stopReason).toBe("first_violation");
    expect(explorer.committer.edges.found().indexOf(1)).toBe(explorer.committer.steps - 1);
  });

  it("the seed decides the order of drawing strategies, and nothing else decides it", async () => {
    const digest = async (seed: number): Promise<string> =>
      (await run(clean, { strategy, maxSteps: 500, seed })).explorer.committer.digest.value();
    const [one, again, other] = [await digest(1), await digest(1), await digest(2)];
    expect(again).toBe(one);
    if (DRAWS[strategy] !== undefined) expect(other !== one).toBe(DRAWS[strategy]);
  });
});

it("breadth first, every state's path is a shortest one", async () => {
  const bound = full ? {} : { maxDepth: 8 };
  const { explorer } = await run(clean, { strategy: "bfs", ...bound });
  const depths = [...explorer.committer.nodes.depths()];
  const counts = explore(ledger(false), bound);
  expect(counts.statesAtDepth).toEqual(counts.statesAtDepth.map((_, depth) => depths.filter((one) => one === depth).length));
});
