import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { completeToDepth, explorationCompleteTo } from "../../../src/engine/search/completeness.ts";
import type { Explorer } from "../../../src/engine/search/explorer.ts";
import { CLEAN, OPENED } from "../../../src/engine/graph/node-table.ts";
import { STRATEGY_KINDS } from "../../../src/model/declare/search/strategy.ts";
import { Draws } from "../../support/draws.ts";
import { sorted, statesOfNodes, stepsOf, walk } from "../../support/graph-of-run.ts";
import { agentOf, randomGraph, type Behaviour, type Graph } from "../../support/graph-model.ts";
import { violationPolicy } from "../../../src/run/explore/violation-policy.ts";
import { breadthFirst, closure, cleanDepths, depthFirst, findingsOf, type NaiveStep } from "../../support/naive-explorer.ts";
import { runExplorer, type RunOptions } from "../../support/run-explorer.ts";
import { full, size } from "../../sizes.ts";

interface Case {
  readonly graph: Graph;
  readonly maxSteps: number | undefined;
  readonly maxDepth: number | undefined;
  readonly stopOnFirstViolation: boolean;
  readonly goesOn: boolean;
  readonly seed: number;
  readonly noise: number;
}

const cases: fc.Arbitrary<Case> = fc
  .record({
    draw: fc.integer(),
    states: fc.integer({ min: 2, max: 24 }),
    actions: fc.integer({ min: 1, max: 6 }),
    loops: fc.constantFrom(0, 0.1, 0.5),
    skips: fc.constantFrom(0, 0.1, 0.5),
    errors: fc.constantFrom(0, 0, 0.1),
    findings: fc.constantFrom(0, 0.05, 0.15),
    maxSteps: fc.option(fc.integer({ min: 1, max: 80 }), { nil: undefined }),
    maxDepth: fc.option(fc.integer({ min: 1, max: 7 }), { nil: undefined }),
    stopOnFirstViolation: fc.boolean(),
    goesOn: fc.boolean(),
    seed: fc.integer({ min: 0, max: 1000 }),
    noise: fc.integer(),
  })
  .map(({ draw, states, actions, loops, skips, errors, findings, ...budget }) => ({
    graph: randomGraph(new Draws(draw), { states, actions, loops, skips, errors, findings }),
    ...budget,
  }));

/** Quick ones share a minute with everything else; the full number is the project's promise. */
const GRAPHS = size(4, 1000);
const check = (property: fc.IAsyncProperty<[Case]>): Promise<void> => fc.assert(property, { numRuns: GRAPHS });

/** What must be equal, however a run was carried out. */
function committed(explorer: Explorer): object {
  const { committer, stopReason } = explorer;
  return {
    digest: committer.digest.value(),
    states: committer.visited.size,
    steps: committer.steps,
    skipped: committer.skipped,
    stopReason,
    parents: [...committer.nodes.parents()],
    parentActions: [...committer.nodes.actions()],
    edges: [...committer.edges.to()],
    waiting: [...explorer.order.waiting()].toSorted((a, b) => a - b),
    violations: [...committer.findings.violations.values()].map(({ key, count, path }) => ({ key, count, path })),
    errors: [...committer.findings.errors.values()].map(({ error, count, path }) => ({ code: error.code, count, path })),
    coverage: committer.coverage(),
  };
}

function openOf(explorer: Explorer): Set<number> {
  const open = new Set(explorer.order.waiting());
  const { nodes } = explorer.committer;
  for (let node = 0; node < nodes.size; node++) if (nodes.has(node, CLEAN) && !nodes.has(node, OPENED)) open.add(node);
  return open;
}

function violationsOf(explorer: Explorer): Map<string, { count: number; length: number }> {
  return new Map(
    [...explorer.committer.findings.violations.values()].map(({ finding, lastAction, status, count, path }) => [
      `${finding.invariant}/${lastAction}/${status}`,
      { count, length: path.length },
    ]),
  );
}

/** `key count`, without an order. */
function counts(violations: ReadonlyMap<string, { readonly count: number }>): readonly string[] {
  return [...violations].map(([key, { count }]) => `${key} ${count}`).toSorted();
}

const bounds = ({ maxSteps, maxDepth, stopOnFirstViolation, seed }: Case): Partial<RunOptions> => ({
  seed,
  stopOnFirstViolation,
  ...(maxSteps === undefined ? {} : { maxSteps }),
  ...(maxDepth === undefined ? {} : { maxDepth }),
});

describe("the engine over random graphs", () => {
  it.each(STRATEGY_KINDS)("%s: one answer for 1 to 3 lanes, late answers, lost lanes and both ways to a node", async (strategy) => {
    await check(
      fc.asyncProperty(cases, async (one) => {
        const agent = agentOf(one.graph);
        const behind = one.goesOn ? { violationPolicy: violationPolicy(agent as never, true) } : {};
        const base = await runExplorer(agent, { strategy, ...bounds(one), ...behind });
        expect(base.explorer.divergences.all).toEqual([]);
        const expected = committed(base.explorer);
        const variants: readonly Partial<RunOptions>[] = [
          { lanes: 1, direct: false },
          { lanes: 2, delays: true, noise: one.noise },
          { lanes: 3, depth: 2, delays: true, noise: one.noise + 1, losses: 0.2 },
          { lanes: 3, delays: true, noise: one.noise + 2, direct: false, losses: 0.1 },
        ];
        for (const variant of variants) {
          const other = await runExplorer(agent, { strategy, ...bounds(one), ...behind, ...variant });
          expect(other.explorer.divergences.all).toEqual([]);
          expect(committed(other.explorer)).toEqual(expected);
        }
      }),
    );
  });

  it.each(STRATEGY_KINDS)("%s: to exhaustion, and to a depth bound, everything that the naive explorer finds", async (strategy) => {
    await check(
      fc.asyncProperty(cases, async ({ graph, maxDepth, seed, noise }) => {
        const naive = closure(graph, maxDepth);
        const { explorer } = await runExplorer(agentOf(graph), {
          strategy,
          seed,
          noise,
          lanes: 1 + (Math.abs(noise) % 3),
          delays: true,
          ...(maxDepth === undefined ? {} : { maxDepth }),
        });
        const states = statesOfNodes(graph, explorer);
        expect(new Set(states).size).toBe(states.length);
        expect(new Set(states)).toEqual(naive.states);
        expect(sorted(stepsOf(graph, explorer))).toEqual(sorted(naive.steps));
        expect(explorer.committer.steps).toBe(naive.steps.length);
        expect(explorer.committer.skipped).toBe(naive.skipped);
        expect([...explorer.committer.findings.errors.values()].reduce((sum, { count }) => sum + count, 0)).toBe(naive.errors);
        const violations = violationsOf(explorer);
        expect(counts(violations)).toEqual(counts(naive.violations));
        const boundary = [...naive.cleanDepth.keys()].some((state) => !naive.expanded.has(state));
        expect(explorer.stopReason).toBe(boundary ? "max_depth" : "exhausted");
        if (maxDepth !== undefined || strategy === "bfs") {
          // Breadth first, and wherever a bound makes depths count, every clean state has its shortest depth in the end.
          for (const [node, state] of states.entries()) {
            const depth = naive.cleanDepth.get(state);
            if (depth !== undefined) expect(explorer.committer.nodes.depth(node)).toBe(depth);
          }
        }
        if (strategy === "bfs") for (const [key, { length }] of violations) expect(length).toBe(naive.violations.get(key)!.shortest);
      }),
    );
  });

  it.each(STRATEGY_KINDS)(
    "%s: behind violations, every state that any path reaches, and each break of a rule that held before",
    async (strategy) => {
      await check(
        fc.asyncProperty(cases, async ({ graph, seed, noise }) => {
          const agent = agentOf(graph);
          const policy = violationPolicy(agent as never, true);
          const lanes = 1 + (Math.abs(noise) % 3);
          const { explorer } = await runExplorer(agent, { strategy, seed, noise, lanes, delays: true, violationPolicy: policy });
          const reached = new Set([0]);
          const steps: NaiveStep[] = [];
          const broken = new Map<string, number>();
          for (const from of reached) {
            for (const [action, does] of graph.table[from]!.entries()) {
              if (does.kind === "throw") steps.push({ from, action, to: -1, status: 0 });
              if (does.kind !== "answer") continue;
              const { to, status } = does;
              steps.push({ from, action, to, status });
              reached.add(to);
              for (const rule of findingsOf(graph, action, does)) {
                // `odd_safe` is not checked after each action: see the unit tests.
                if (rule === "odd_safe" || (rule === "safe" && graph.unsafe[from] === true)) continue;
                const key = `${rule}/a${action}/${status}`;
                broken.set(key, (broken.get(key) ?? 0) + 1);
              }
            }
          }
          expect(new Set(statesOfNodes(graph, explorer))).toEqual(reached);
          expect(sorted(stepsOf(graph, explorer))).toEqual(sorted(steps));
          expect(explorer.stopReason).toBe("exhausted");
          const found = [...violationsOf(explorer)].filter(([key]) => !key.startsWith("odd_safe") && !key.endsWith("//0"));
          expect(counts(new Map(found))).toEqual([...broken].map(([key, count]) => `${key} ${count}`).toSorted());
        }),
      );
    },
  );

  it.each(STRATEGY_KINDS)("%s: every violation's path is a clean path whose last step breaks the rule", async (strategy) => {
    await check(
      fc.asyncProperty(cases, async (one) => {
        const { graph } = one;
        const { explorer } = await runExplorer(agentOf(graph), { strategy, ...bounds(one), lanes: 2, delays: true, noise: one.noise });
        for (const { finding, path, status, lastAction } of explorer.committer.findings.violations.values()) {
          if (path.length === 0) continue;
          for (let length = 1; length < path.length; length++) {
            const action = path[length - 1]!;
            expect(findingsOf(graph, action, graph.table[walk(graph, path.slice(0, length - 1))]![action]!)).toEqual([]);
          }
          const action = path.at(-1)!;
          const does = graph.table[walk(graph, path.slice(0, -1))]![action]!;
          expect(`a${action}`).toBe(lastAction);
          expect(does).toMatchObject({ kind: "answer", status });
          expect(findingsOf(graph, action, does)).toContain(finding.invariant);
        }
      }),
    );
  });

  it.each(["bfs", "dfs"] as const)("%s: the exact sequence of the naive explorer under budgets", async (strategy) => {
    await check(
      fc.asyncProperty(cases, async ({ graph, maxSteps, maxDepth, stopOnFirstViolation, noise }) => {
        const budget = {
          stopOnFirstViolation,
          ...(maxSteps === undefined ? {} : { maxSteps }),
          ...(maxDepth === undefined || strategy === "dfs" ? {} : { maxDepth }),
        };
        const naive = strategy === "bfs" ? breadthFirst(graph, budget) : depthFirst(graph, budget);
        const { explorer } = await runExplorer(agentOf(graph), {
          strategy,
          ...budget,
          lanes: 1 + (Math.abs(noise) % 3),
          delays: true,
          noise,
          losses: 0.05,
        });
        expect(stepsOf(graph, explorer)).toEqual(naive.steps);
        expect(explorer.committer.skipped).toBe(naive.skipped);
        expect(explorer.stopReason).toBe(naive.stop);
      }),
    );
  });

  it.each(STRATEGY_KINDS)("%s: maxSteps is exact, and nothing is executed that the accounts do not show", async (strategy) => {
    await check(
      fc.asyncProperty(cases, async ({ graph, maxSteps = 10, maxDepth, seed, noise }) => {
        const depth = maxDepth === undefined ? {} : { maxDepth };
        const all = closure(graph, maxDepth).steps.length;
        const { explorer } = await runExplorer(agentOf(graph), {
          strategy,
          seed,
          maxSteps,
          ...depth,
          lanes: 3,
          depth: 2,
          delays: true,
          noise,
          losses: 0.1,
        });
        const { committer, reorderBuffer } = explorer;
        expect(committer.steps).toBe(Math.min(maxSteps, all));
        expect(committer.edges.size).toBe(committer.steps);
        expect(reorderBuffer.underWay).toBe(0);
        expect(explorer.speculative).toBe(reorderBuffer.executed - committer.steps);
        expect(explorer.speculative).toBeGreaterThanOrEqual(0);
        const applied = Object.values(committer.coverage()).reduce((sum, one) => sum + one.applied, 0);
        const skipped = Object.values(committer.coverage()).reduce((sum, one) => sum + one.skipped, 0);
        expect([applied, skipped]).toEqual([committer.steps, committer.skipped]);
        if (all < maxSteps) {
          expect(explorer.stopReason).not.toBe("max_steps");
          expect([reorderBuffer.buffered, reorderBuffer.guessed]).toEqual([0, 0]);
        }
      }),
    );
  });

  it.each(full ? STRATEGY_KINDS : (["dfs"] as const))(
    "%s: what one lane executes on wrong guesses is a small share of what is committed",
    async (strategy) => {
      // Eight switches and a counter: depth first, nearly every state is come to by another path than the one it was first guessed on.
      const target = (state: number, action: number): number => {
        const [switches, counter] = [state % 256, Math.floor(state / 256)];
        return action < 8 ? counter * 256 + (switches ^ (1 << action)) : Math.min(counter + 1, 3) * 256 + switches;
      };
      const actions = 9;
      const table = Array.from({ length: 1024 }, (_, state) =>
        Array.from({ length: actions }, (_one, action): Behaviour => ({ kind: "answer", to: target(state, action), status: 200 })),
      );
      const fine = Array.from({ length: 1024 }, () => false);
      const graph: Graph = { states: 1024, actions, table, unsafe: fine, oddUnsafe: fine, strict: fine.slice(0, actions) };
      const { explorer } = await runExplorer(agentOf(graph), { strategy });
      const { committer, reorderBuffer } = explorer;
      expect([committer.visited.size, committer.steps]).toEqual([1024, 1024 * actions]);
      expect(reorderBuffer.wasted).toBe(explorer.speculative);
      expect(explorer.speculative).toBeLessThan(65 + 0.1 * committer.steps);
    },
  );

  it.each(STRATEGY_KINDS)("%s: completeToDepth is what brute force says", async (strategy) => {
    await check(
      fc.asyncProperty(cases, async (one) => {
        const { graph } = one;
        const { explorer } = await runExplorer(agentOf(graph), { strategy, ...bounds(one) });
        const { committer } = explorer;
        const states = statesOfNodes(graph, explorer);
        const taken = new Map<number, number>();
        for (const { from } of stepsOf(graph, explorer)) taken.set(from, (taken.get(from) ?? 0) + 1);
        const wholly = (state: number): boolean => {
          const applicable = graph.table[state]!.filter(({ kind }) => kind === "answer" || kind === "throw").length;
          return (taken.get(state) ?? 0) === applicable && states.includes(state);
        };
        const open = openOf(explorer);
        const deepest = committer.nodes.depths().reduce((a, b) => Math.max(a, b), 0);
        const depth = completeToDepth(committer.edges, committer.visited.size, open, deepest);
        // Breadth first looks at depths alone.
        expect(explorationCompleteTo(explorer, deepest)).toBe(depth);
        const truth = cleanDepths(graph, Infinity);
        // The claim: every state up to this depth was found, and every nearer one has all its actions taken.
        for (const [state, at] of truth) {
          if (at <= depth) expect(states).toContain(state);
          if (at < depth) expect(wholly(state)).toBe(true);
        }
        // And no less than that: an open state lies at this very depth.
        if (open.size > 0) expect(Math.min(...[...open].map((node) => truth.get(states[node]!)!))).toBe(depth);
      }),
    );
  });
});
