import { expect, it } from "vitest";
import { loadConfig } from "../../../../src/config/index.ts";
import { findingId } from "../../../../src/engine/findings/finding-id.ts";
import { mergeShards, type Merged } from "../../../../src/engine/shards/merge-shards.ts";
import type { ExplorationResult } from "../../../../src/model/results/result.ts";
import { explorationEntry, redactor, statusOfResult } from "../../../../src/reports/index.ts";
import { mergedResult } from "../../../../src/run/shards/merged-result.ts";
import { agentOf, randomGraph } from "../../../support/graph-model.ts";
import { Draws } from "../../../support/draws.ts";
import { Recording } from "../../../support/recording.ts";
import { runExplorer } from "../../../support/run-explorer.ts";
import { result, violation } from "../../../support/results.ts";

const { report } = loadConfig({ env: {} });
const agent = agentOf(randomGraph(new Draws(4), { states: 60, actions: 3, loops: 0.1, skips: 0, errors: 0, findings: 0.05 }));
const actions = agent.actions.map(({ name }) => name);

/** Two shards of a small exploration, merged. */
async function merged(): Promise<Merged> {
  const runs = await Promise.all([0, 1].map((index) => runExplorer(agent, { shard: { index, of: 2 }, journal: true })));
  return mergeShards({
    actions,
    maxDepth: Infinity,
    violationPolicy: undefined,
    shards: runs.map(({ explorer }) => ({
      shard: explorer.cut!.shard,
      recorded: new Recording().add(explorer),
      state: () => undefined,
      exchanges: () => [],
    })),
    root: runs[0]!.reports[0]!,
    details: { edges: 0, states: 0, characters: 0 },
    onCommits: () => undefined,
  });
}

/** The merged result of two shards that reported these results. */
async function mergedOf(...shards: readonly Partial<ExplorationResult>[]): Promise<ExplorationResult> {
  return resultOf(await merged(), ...shards);
}

function resultOf(graph: Merged, ...shards: readonly Partial<ExplorationResult>[]): ExplorationResult {
  const entries = shards.map((changes) =>
    explorationEntry({ name: "shop", file: "shop.explore.ts", result: result(changes) }, report, redactor([])),
  );
  return mergedResult(graph, { name: "shop", actions, entries });
}

it("names rules as not checked that no shard could check, and rules that are never certain", async () => {
  const unreached =
    "c did not send its calls at the same time, because the path a -> b led to another state than before. Switch off its caches.";
  const unprobed = "b did not send its calls at the same time, because no call of them changed the state.";
  const { unjudgedRules, notes } = await mergedOf(
    // The shard lists the rule a because its actions were only redirected.
    { unjudgedRules: ["a", "b", "c", "d"], unverified: [unreached], notes: [unprobed] },
    { unjudgedRules: ["d"] },
  );
  expect(unjudgedRules?.toSorted()).toEqual(["c", "d"]);
  expect(notes).not.toContain(unprobed);
  expect((await mergedOf({ unjudgedRules: ["b"], notes: [unprobed] }, { unjudgedRules: ["b"] })).notes).toContain(unprobed);
});

it("is unverified if a rule was inconclusive in every merged step, unless the shards allow it", async () => {
  const graph = await merged();
  const { edges, unjudged } = graph.committer;
  for (let edge = 0; edge < edges.size; edge++) unjudged.addStep([{ invariant: "own", what: "it has no eyes" }], edges.at(edge));
  const why = expect.stringMatching(
    /^The rule own could not be checked in any of the \d+ steps in which an action worked: it has no eyes/,
  ) as string;
  expect(resultOf(graph, {}, {}).unverified).toContainEqual(why);
  expect(resultOf(graph, {}, {}).unjudgedRules).toEqual(["own"]);
  const allowed = { requireAllActions: false } as const;
  expect(resultOf(graph, allowed, allowed).unverified).not.toContainEqual(why);
});

it("has the findings of merged steps that no shard lists, without confirmation", async () => {
  const { committer } = await merged();
  expect(committer.findings.violations.size).toBeGreaterThan(0);
  const found = await mergedOf({}, {});
  expect(found.violations).toHaveLength(committer.findings.violations.size);
  expect(found.violations[0]).toMatchObject({ confirmed: false, notReplayed: true, steps: [], state: expect.any(Number) as number });
  expect(statusOfResult(found, "low")).toBe(3);
});

it("has no finding whose changes a shard also saw as late writes, even if another shard confirmed it", async () => {
  const graph = await merged();
  const { findings } = graph.committer;
  const [late, ...others] = [...findings.violations.values()];
  late!.finding = { ...late!.finding, fields: ["jobs.tick"] };
  const divergences = [
    { kind: "late_write", path: [actions[0]!], message: "wrote jobs.tick", differences: [], fields: ["jobs.tick"] },
  ] as const;
  const { invariant } = late!.finding;
  const confirmed = { ...(await mergedOf({}, {})).violations.find((one) => one.id === findingId("shop", late!))!, confirmed: true };
  const found = resultOf(graph, { divergences }, { violations: [confirmed] });
  expect(found.violations).toHaveLength(others.length);
  expect(found.violations.map(({ id }) => id)).not.toContain(confirmed.id);
  expect(found.unjudgedRules).toContain(invariant);
  expect(found.notes.join()).toContain(`the rule ${invariant} could not be checked`);
});

it("has what a shard could not replay, and prefers what another shard confirmed", async () => {
  const hang = violation({ id: "hang", invariant: "export_timeout", state: null, confirmed: false, notReplayed: true });
  const found = await mergedOf({ violations: [hang] }, {});
  expect(found.violations.filter(({ id }) => id === "hang")).toMatchObject([{ confirmed: false, notReplayed: true }]);
  expect(statusOfResult(found, "low")).toBe(3);
  const { notReplayed: _, ...confirmed } = { ...hang, confirmed: true };
  const both = await mergedOf({ violations: [hang] }, { violations: [confirmed] });
  expect(both.violations.filter(({ id }) => id === "hang")).toMatchObject([{ confirmed: true }]);
  const flaky = { ...confirmed, confirmed: false };
  expect((await mergedOf({ violations: [flaky] }, {})).violations.map(({ id }) => id)).not.toContain("hang");
});

it("does not judge the edges of a state graph as actions: only edges that a shard reports as dead", async () => {
  const graph = await merged();
  const [first] = actions;
  const lists = { unreachedNodes: [], deadEdges: [first!], deniedChecks: [] };
  expect(resultOf(graph, lists, lists).unverified).toEqual([]);
  graph.committer.coverage = () => Object.fromEntries(actions.map((name) => [name, { applied: 30, skipped: 0, statuses: { 404: 30 } }]));
  expect(resultOf(graph, lists, lists).unverified).toEqual([`The edge ${first} never applied: its action was answered 404 (30 times).`]);
});
