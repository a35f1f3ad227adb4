import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Explorer } from "../../../src/engine/search/explorer.ts";
import type { Recorded } from "../../../src/engine/commit/recommit.ts";
import { violationPolicy } from "../../../src/run/explore/violation-policy.ts";
import { STRATEGY_KINDS } from "../../../src/model/declare/search/strategy.ts";
import { Draws } from "../../support/draws.ts";
import { graphCases } from "../../support/graph-cases.ts";
import { agentOf, randomGraph } from "../../support/graph-model.ts";
import { Recording } from "../../support/recording.ts";
import { runExplorer } from "../../support/run-explorer.ts";
import { EXPANDED } from "../../../src/engine/graph/node-table.ts";
import { size } from "../../sizes.ts";

const cases = fc.record({
  ...graphCases,
  /** After how many more steps each session ends; the last one goes on to the end. */
  sessions: fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 3 }),
  maxSteps: fc.option(fc.integer({ min: 1, max: 120 }), { nil: undefined }),
  maxDepth: fc.option(fc.integer({ min: 1, max: 7 }), { nil: undefined }),
  stopOnFirstViolation: fc.boolean(),
  goesOn: fc.boolean(),
  seed: fc.integer({ min: 0, max: 1000 }),
  noise: fc.integer(),
  lanes: fc.integer({ min: 1, max: 3 }),
});

/** What must be equal, in however many sessions a run was carried out. */
function committed({ committer, stopReason, order }: Explorer): object {
  return {
    digest: committer.digest.value(),
    states: committer.visited.size,
    steps: committer.steps,
    skipped: committer.skipped,
    bounded: committer.bounded,
    collisions: committer.collisions,
    // The second hashes are written down with the rows.
    checks: Array.from({ length: committer.visited.size }, (_, node) => committer.visited.check(node)),
    deepest: committer.deepest,
    boundary: committer.boundary(),
    stopReason,
    parents: [...committer.nodes.parents()],
    parentActions: [...committer.nodes.actions()],
    depths: [...committer.nodes.depths()],
    homes: Array.from({ length: committer.nodes.size }, (_, node) => committer.nodes.home(node)),
    edges: [...committer.edges.to()],
    found: [...committer.edges.found()],
    waiting: [...order.waiting()].toSorted((a, b) => a - b),
    violations: [...committer.findings.violations.values()].map(({ key, count, path, from, draws }) => ({ key, count, path, from, draws })),
    errors: [...committer.findings.errors.values()].map(({ error, count, path }) => ({
      error: { ...error, stack: undefined },
      count,
      path,
    })),
    coverage: committer.coverage(),
  };
}

describe("an exploration that goes on", () => {
  it.each(STRATEGY_KINDS)(
    "with %s comes to what it comes to in one go, wherever it was ended",
    { timeout: size(60_000, 600_000) },
    async (strategy) => {
      await fc.assert(
        fc.asyncProperty(cases, async ({ draw, states, actions, loops, skips, errors, findings, sessions, lanes, noise, ...rest }) => {
          const agent = agentOf(randomGraph(new Draws(draw), { states, actions, loops, skips, errors, findings }));
          const { maxSteps = 1_000_000, goesOn, ...budget } = rest;
          const options = {
            ...budget,
            violationPolicy: violationPolicy(agent as never, goesOn),
            ...(budget.maxDepth === undefined ? { maxDepth: Infinity } : { maxDepth: budget.maxDepth }),
            strategy,
          };
          const whole = await runExplorer(agent, { ...options, maxSteps });
          const recording = new Recording();
          let recorded: Recorded | undefined;
          let steps = 0;
          for (const more of sessions) {
            steps += more;
            const run = await runExplorer(agent, {
              ...options,
              maxSteps: Math.min(steps, maxSteps),
              lanes,
              noise: noise + steps,
              delays: lanes > 1,
              journal: true,
              recorded,
            });
            expect(run.explorer.committer.steps).toBeLessThanOrEqual(steps);
            recorded = recording.add(run.explorer);
          }
          const last = await runExplorer(agent, { ...options, maxSteps, lanes, noise, journal: true, recorded });
          expect(committed(last.explorer)).toEqual(committed(whole.explorer));
          // What it wrote is all of it: folded back once more it is the same again, without a step.
          const again = await runExplorer(agent, { ...options, maxSteps, recorded: recording.add(last.explorer) });
          expect(committed(again.explorer)).toEqual(committed(whole.explorer));
        }),
        { numRuns: size(3, 1000) },
      );
    },
  );

  it("makes the checks that an interruption left, and none twice", { timeout: size(60_000, 600_000) }, async () => {
    const crossCheck = { first: 4, oneIn: 2 };
    await fc.assert(
      fc.asyncProperty(cases, async ({ draw, states, actions, loops, skips, sessions, lanes, noise, seed }) => {
        const agent = agentOf(randomGraph(new Draws(draw), { states, actions, loops, skips, errors: 0, findings: 0 }));
        const whole = await runExplorer(agent, { seed, crossCheck });
        const recording = new Recording();
        let recorded: Recorded | undefined;
        const checks: string[] = [];
        const due = new Set(whole.lanePool.checks.filter((check) => check.startsWith("merge ")));
        const expanded = new Set<number>();
        const take = ({ explorer, lanePool }: Awaited<ReturnType<typeof runExplorer>>): void => {
          checks.push(...lanePool.checks);
          // A state that was opened before an interruption and expanded behind it was reached by its calls: there are no two ways to compare.
          for (let node = 0; node < explorer.committer.nodes.size; node++) {
            if (!explorer.committer.nodes.has(node, EXPANDED) || expanded.has(node)) continue;
            expanded.add(node);
            const path = explorer.committer.nodes.path(node).join();
            if (lanePool.written.has(path) && whole.lanePool.checks.includes(`both ${path}`)) due.add(`both ${path}`);
          }
        };
        for (const chunks of sessions) {
          const abort = new AbortController();
          const options = { seed, crossCheck, lanes, noise: noise + chunks, delays: lanes > 1, journal: true, recorded };
          const run = await runExplorer(agent, {
            ...options,
            signal: abort.signal,
            onExpansion: (count) => count >= chunks && abort.abort(),
          });
          take(run);
          recorded = recording.add(run.explorer);
        }
        const last = await runExplorer(agent, { seed, crossCheck, lanes, noise, journal: true, recorded });
        take(last);
        expect(committed(last.explorer)).toEqual(committed(whole.explorer));
        expect(new Set(checks).size).toBe(checks.length);
        expect(checks).toEqual(expect.arrayContaining([...due]));
      }),
      { numRuns: size(3, 1000) },
    );
  });

  it("is refused where the store holds another one, has lost a row, or went on beyond the budget", async () => {
    const agent = (draw: number) =>
      agentOf(randomGraph(new Draws(draw), { states: 20, actions: 4, loops: 0.1, skips: 0.1, errors: 0, findings: 0.02 }));
    const run = await runExplorer(agent(1), { maxSteps: 30, journal: true });
    const recorded = new Recording().add(run.explorer);
    const goOn = (options: Parameters<typeof runExplorer>[1], draw = 1) => runExplorer(agent(draw), { maxSteps: 60, ...options });
    await expect(goOn({ recorded: { ...recorded, digest: "0".repeat(16) } })).rejects.toMatchObject({
      code: "RESUME_MISMATCH",
      exitStatus: 2,
    });
    await expect(goOn({ recorded: { ...recorded, batch: (index) => recorded.batch(index).slice(0, -1) } })).rejects.toMatchObject({
      code: "RESUME_MISMATCH",
    });
    await expect(goOn({ recorded: { ...recorded, batch: (index) => recorded.batch(index).slice(6) } })).rejects.toMatchObject({
      code: "RESUME_MISMATCH",
    });
    await expect(goOn({ recorded, strategy: "dfs" })).rejects.toMatchObject({ code: "RESUME_MISMATCH" });
    await expect(goOn({ recorded, maxSteps: 20 })).rejects.toMatchObject({ code: "RESUME_BUDGET", exitStatus: 2 });
    expect((await goOn({ recorded })).explorer.committer.steps).toBe(60);
  });
});
