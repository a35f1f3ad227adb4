import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mergeShards } from "../../../src/engine/shards/merge-shards.ts";
import type { Explorer } from "../../../src/engine/search/explorer.ts";
import type { Committer } from "../../../src/engine/commit/committer.ts";
import { EXPANDED } from "../../../src/engine/graph/node-table.ts";
import type { ViolationPolicy } from "../../../src/engine/commit/broken-rules.ts";
import { shareOf } from "../../../src/engine/shards/shard-partition.ts";
import { violationPolicy } from "../../../src/run/explore/violation-policy.ts";
import { Draws } from "../../support/draws.ts";
import { agentOf, randomGraph } from "../../support/graph-model.ts";
import { Recording } from "../../support/recording.ts";
import { runExplorer } from "../../support/run-explorer.ts";
import { size } from "../../sizes.ts";

const cases = fc.record({
  draw: fc.integer(),
  states: fc.integer({ min: 40, max: 400 }),
  actions: fc.integer({ min: 2, max: 12 }),
  skips: fc.constantFrom(0, 0.1, 0.3),
  errors: fc.constantFrom(0, 0.05),
  findings: fc.constantFrom(0, 0.02),
  goesOn: fc.boolean(),
  of: fc.integer({ min: 1, max: 3 }),
  maxDepth: fc.option(fc.integer({ min: 2, max: 9 }), { nil: undefined }),
  noise: fc.integer(),
  lanes: fc.integer({ min: 1, max: 3 }),
});

const SHARED_OUT = {
  draw: 1,
  states: 400,
  actions: 6,
  skips: 0,
  errors: 0,
  findings: 0,
  goesOn: false,
  of: 3,
  maxDepth: undefined,
  noise: 1,
  lanes: 2,
} as const;

const said = (committer: Committer): object => ({
  digest: committer.digest.value(),
  states: committer.visited.size,
  steps: committer.steps,
  skipped: committer.skipped,
  parents: [...committer.nodes.parents()],
  boundary: committer.boundary(),
  violations: [...committer.findings.violations.values()].map(({ key, count, path }) => ({ key, count, path })),
  errors: [...committer.findings.errors.values()].map(({ error, count, path }) => ({ code: error.code, count, path })),
});

const merge = (
  agent: { readonly actions: readonly { readonly name: string }[] },
  shards: readonly Explorer[],
  root: Parameters<typeof mergeShards>[0]["root"],
  maxDepth: number,
  policy?: ViolationPolicy,
) =>
  mergeShards({
    actions: agent.actions.map(({ name }) => name),
    maxDepth,
    violationPolicy: policy,
    shards: shards.map((shard) => ({
      shard: shard.cut!.shard,
      recorded: new Recording().add(shard),
      state: () => undefined,
      exchanges: () => [],
    })),
    root,
    details: { edges: 0, states: 0, characters: 0 },
    onCommits: () => undefined,
  });

function isExpanded({ committer }: Explorer, merged: Committer, node: number): boolean {
  const own = committer.visited.find(merged.visited.lo(node), merged.visited.hi(node));
  return own >= 0 && committer.nodes.has(own, EXPANDED);
}

describe("shards", () => {
  it("that came to their end are together the exploration that nobody shared out", { timeout: size(60_000, 600_000) }, async () => {
    let shared = 0;
    await fc.assert(
      fc.asyncProperty(cases, async ({ draw, of, maxDepth = Infinity, goesOn, noise, lanes, ...shape }) => {
        const agent = agentOf(randomGraph(new Draws(draw), { ...shape, loops: 0.1 }));
        const policy = violationPolicy(agent as never, goesOn);
        const whole = await runExplorer(agent, { maxDepth, violationPolicy: policy });
        const shards: Explorer[] = [];
        for (let index = 0; index < of; index++) {
          const { explorer } = await runExplorer(agent, {
            maxDepth,
            violationPolicy: policy,
            shard: { index, of },
            journal: true,
            lanes,
            noise: noise + index,
            delays: lanes > 1,
          });
          if (explorer.cut!.taken !== undefined) shared++;
          shards.push(explorer);
        }
        // Of one level each state is somebody's.
        const cut = shards[0]!.cut!.taken;
        expect(shards.map((one) => one.cut!.taken?.own ?? 0).reduce((a, b) => a + b)).toBe(cut?.states ?? 0);
        const { committer, open, differing } = merge(agent, shards, whole.reports[0]!, maxDepth, policy);
        expect([said(committer), open.size, differing]).toEqual([said(whole.explorer.committer), 0, { common: 0, behind: 0 }]);
      }),
      // The drawn ones may all be too small to be shared out.
      { numRuns: size(3, 500), examples: [[SHARED_OUT]] },
    );
    expect(shared).toBeGreaterThan(0);
  });

  it("with one missing leave its states open, and never have more than the whole", async () => {
    const agent = agentOf(randomGraph(new Draws(3), { states: 400, actions: 8, loops: 0.1, skips: 0, errors: 0, findings: 0 }));
    const whole = await runExplorer(agent);
    const runs = await Promise.all([0, 2].map((index) => runExplorer(agent, { shard: { index, of: 3 }, journal: true })));
    const { committer, open } = merge(
      agent,
      runs.map(({ explorer }) => explorer),
      whole.reports[0]!,
      Infinity,
    );
    // What it lacks is said to be open, or it lacks nothing.
    expect(open.size === 0).toBe(committer.digest.value() === whole.explorer.committer.digest.value());
    for (const node of open) expect(runs.some(({ explorer }) => isExpanded(explorer, committer, node))).toBe(false);
  });

  it("have the whole budget of steps together", () => {
    for (const total of [5, 1000, 1001, 1003]) {
      const shares = [0, 1, 2, 3].map((index) => shareOf(total, { index, of: 4 }));
      expect(shares.reduce((a, b) => a + b)).toBe(total);
      expect(Math.max(...shares) - Math.min(...shares)).toBeLessThanOrEqual(1);
    }
    expect(shareOf(2, { index: 3, of: 4 })).toBe(1);
  });
});
