import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Recorded } from "../../../src/engine/commit/recommit.ts";
import { readThrough } from "../../../src/engine/commit/recommit-limits.ts";
import type { AgentDefinition } from "../../../src/model/declare/agent.ts";
import { violationPolicy } from "../../../src/run/explore/violation-policy.ts";
import { Draws } from "../../support/draws.ts";
import { graphCases } from "../../support/graph-cases.ts";
import { agentOf, randomGraph } from "../../support/graph-model.ts";
import { rootFindings } from "../../support/naive-explorer.ts";
import { Recording } from "../../support/recording.ts";
import { runExplorer, type RunOptions } from "../../support/run-explorer.ts";
import { size } from "../../sizes.ts";

const cases = fc.record({
  ...graphCases,
  maxSteps: fc.integer({ min: 1, max: 60 }),
  maxDepth: fc.integer({ min: 1, max: 6 }),
  stopOnFirstViolation: fc.boolean(),
  goesOn: fc.boolean(),
});

const namesOf = ({ actions }: { readonly actions: readonly { readonly name: string }[] }): readonly string[] =>
  actions.map(({ name }) => name);

/** The code with which something is refused; `undefined`: it is not. */
async function refusalOf(work: () => unknown): Promise<unknown> {
  try {
    await work();
    return undefined;
  } catch (error) {
    return (error as { readonly code?: unknown }).code ?? error;
  }
}

const goOn = (agent: unknown, recorded: Recorded, options: RunOptions): Promise<unknown> =>
  runExplorer(agent as AgentDefinition<object, never>, { ...options, recorded });

describe("reading through what an exploration committed", () => {
  it("says of a bound and of stopping at a violation what committing it again says", { timeout: size(60_000, 600_000) }, async () => {
    const refusals = { none: 0, depth: 0, violation: 0 };
    await fc.assert(
      fc.asyncProperty(cases, async ({ draw, maxSteps, maxDepth, stopOnFirstViolation, goesOn, ...shape }) => {
        const graph = randomGraph(new Draws(draw), shape);
        const agent = agentOf(graph);
        const policy = violationPolicy(agent as never, goesOn);
        const run = await runExplorer(agent, { maxSteps, journal: true, violationPolicy: policy });
        const recorded = new Recording().add(run.explorer);
        const { lastFrom, wentPast } = readThrough(recorded, {
          actions: namesOf(agent),
          violationPolicy: policy,
          brokenAtRoot: rootFindings(graph),
          isKnown: () => false,
        });
        const tooDeep = lastFrom >= 0 && run.explorer.committer.nodes.depth(lastFrom) >= maxDepth;
        const stopped = stopOnFirstViolation && wentPast !== undefined;
        refusals[tooDeep ? "depth" : stopped ? "violation" : "none"]++;
        const refused = await refusalOf(() => goOn(agent, recorded, { maxDepth, stopOnFirstViolation, violationPolicy: policy }));
        expect(refused).toBe(tooDeep || stopped ? "RESUME_BUDGET" : undefined);
      }),
      { numRuns: size(40, 3000) },
    );
    for (const count of Object.values(refusals)) expect(count).toBeGreaterThan(0);
  });

  it.each(["bfs", "dfs"] as const)(
    "refuses every damage that committing it again with %s refuses",
    { timeout: size(60_000, 600_000) },
    async (strategy) => {
      let damaged = 0;
      await fc.assert(
        fc.asyncProperty(cases, fc.nat(), fc.integer(), async ({ draw, maxSteps, states, actions, loops, skips }, place, value) => {
          const agent = agentOf(randomGraph(new Draws(draw), { states, actions, loops, skips, errors: 0, findings: 0 }));
          const run = await runExplorer(agent, { strategy, maxSteps, journal: true });
          const whole = new Recording().add(run.explorer);
          const read = (recorded: Recorded) => () =>
            readThrough(recorded, { actions: namesOf(agent), violationPolicy: undefined, brokenAtRoot: [], isKnown: () => false });
          expect(await refusalOf(read(whole))).toBeUndefined();
          const batch = whole.batch(0).slice();
          if (batch.length === 0) return;
          // A number near what stands there is the harder one to notice.
          batch[place % batch.length]! ^= value % 2 === 0 ? value : 1 << (value & 7);
          const recorded = { ...whole, batch: () => batch };
          const refused = await refusalOf(() => goOn(agent, recorded, { strategy, maxSteps }));
          if (refused === undefined) return;
          damaged++;
          expect(await refusalOf(read(recorded))).toBe("RESUME_MISMATCH");
        }),
        { numRuns: size(40, 3000) },
      );
      // Half of the runs or more damage something that is read.
      expect(damaged).toBeGreaterThan(size(8, 1000));
    },
  );
});
