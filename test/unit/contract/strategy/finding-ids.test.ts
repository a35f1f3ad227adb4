import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ApiResponse } from "../../../../src/adapters/http/index.ts";
import { Action, Agent, BFS, CoverageGuided, DFS, Invariant, Random, StateGraph, World } from "../../../../src/index.ts";
import type { ExplorationResult, Violation } from "../../../../src/model/results/result.ts";

/** Ids of findings as they are reported: after their paths were made shorter, and of what is derived from a whole state graph. */
const STRATEGIES = { bfs: new BFS(), dfs: new DFS(), random: new Random(), coverage_guided: new CoverageGuided() } as const;
const NAMES = Object.keys(STRATEGIES) as readonly (keyof typeof STRATEGIES)[];

interface Counters {
  readonly a: number;
  readonly b: number;
}

const count = (name: "a" | "b"): Action<Counters> =>
  new Action<Counters>({
    name,
    precondition: (context) => context.get(name, { default: 0 }) < 6,
    run: (_api, context) => {
      const next = context.get(name, { default: 0 }) + 1;
      context.set(name, next);
      // One action breaks one rule with two statuses: two findings.
      return Promise.resolve(ApiResponse.of(next > 4 ? 202 : 200, {}));
    },
  });
const below = (name: "a" | "b", end: number): Invariant<Counters> =>
  new Invariant<Counters>({ name: `${name}_below`, check: (world) => world.context.get(name, { default: 0 }) < end });
const never = new Invariant<Counters>({
  name: "not_both",
  check: ({ context }) => !(context.get("a", { default: 0 }) >= 2 && context.get("b", { default: 0 }) >= 2),
});

const explored = (
  strategy: keyof typeof STRATEGIES,
  more: { readonly maxSteps?: number; readonly seed?: number } = {},
): Promise<ExplorationResult> =>
  new Agent<Counters>({
    name: "counters",
    world: () => new World<Counters>({ api: {} as never }),
    actions: [count("a"), count("b")],
    invariants: [below("a", 5), below("b", 4), never],
    strategy: STRATEGIES[strategy],
    ...more,
  }).explore();

/** What a finding is, by its id. */
const named = (violations: readonly Violation[]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    violations.map(({ id, invariant, reproductionPath, response }) => [
      id,
      JSON.stringify([invariant, reproductionPath.at(-1), response?.status]),
    ]),
  );

describe("the ids of reported findings", () => {
  it("are those of every strategy, explored to the end", async () => {
    const results = await Promise.all(NAMES.map((name) => explored(name)));
    const [first] = results;
    const expected = named(first!.violations);
    expect(Object.keys(expected)).toHaveLength(4);
    for (const { violations } of results) expect(named(violations)).toEqual(expected);
  });

  it.each(NAMES)("%s: those of any budget and seed are among them", async (name) => {
    const expected = named((await explored("bfs")).violations);
    const all = await Promise.all([6, 9, 14, 20].flatMap((maxSteps) => [0, 7].map((seed) => explored(name, { maxSteps, seed }))));
    expect(all.flatMap(({ violations }) => violations).length).toBeGreaterThan(0);
    for (const { violations } of all) expect(expected).toMatchObject(named(violations));
    // Depth first, paths are long where little of the graph is known: ids are those of the paths that were made shorter, too.
    const shrunk = all.flatMap(({ violations }) => violations.filter(({ shrunkFrom }) => shrunkFrom !== undefined));
    if (name === "dfs") expect(shrunk.length).toBeGreaterThan(0);
  });
});

it("a finding whose path was made shorter has the message of the path that is shown", async () => {
  const told = new Invariant<Counters>({
    name: "told",
    check: ({ context }) => {
      const [a, b] = [context.get("a", { default: 0 }), context.get("b", { default: 0 })];
      return { ok: b < 2, message: `a ${a} times, b ${b} times` };
    },
  });
  const world = (): World<Counters> => new World<Counters>({ api: {} as never });
  const options = { world, actions: [count("a"), count("b")], invariants: [told], strategy: new DFS(), maxSteps: 14 };
  const { violations } = await new Agent<Counters>({ name: "told", ...options }).explore();
  expect(violations.some(({ shrunkFrom }) => shrunkFrom !== undefined)).toBe(true);
  for (const { message, reproductionPath } of violations) {
    const times = (name: string): number => reproductionPath.filter((action) => action === name).length;
    expect(message).toBe(`a ${times("a")} times, b ${times("b")} times`);
  }
});

describe("the ids of a state graph's findings", () => {
  let folder = "";
  beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), "seqqa-ids-"))));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  interface Flow {
    readonly waited: number;
  }

  function graph(): StateGraph<Flow> {
    const flow = new StateGraph<Flow>({ name: "flow", world: () => new World<Flow>({ api: {} as never }) });
    flow.addNode("open", { initial: true });
    flow.addNode("paid", { check: () => false });
    flow.addNode("lost");
    flow.addEdge("open", "open", {
      name: "wait",
      action: (_client, context) => {
        const waited = context.get("waited", { default: 0 }) + 1;
        if (waited > 3) return Promise.resolve(null);
        context.set("waited", waited);
        return Promise.resolve(ApiResponse.of(200, {}));
      },
    });
    flow.addEdge("open", "paid", { name: "pay", action: () => Promise.resolve(ApiResponse.of(201, {})) });
    flow.addEdge("open", "lost", { name: "lose", action: () => Promise.resolve(null) });
    return flow;
  }

  it("are those of every strategy, and among them those of any budget", async () => {
    const run = (strategy: string, more = ""): Promise<ExplorationResult> => {
      const config = join(folder, `${strategy}${more.replaceAll(/\W/g, "_")}.yaml`);
      writeFileSync(config, `exploration: { strategy: ${strategy}${more} }\n`);
      return graph().explore(undefined, { config });
    };
    const results = await Promise.all(NAMES.map((name) => run(name)));
    const expected = named(results[0]!.violations);
    expect(results[0]!.violations.map(({ invariant }) => invariant).toSorted()).toEqual(["lose_dead", "lost_unreached", "paid_denied"]);
    for (const { violations } of results) expect(named(violations)).toEqual(expected);
    const cut = await Promise.all(NAMES.map((name) => run(name, ", max_steps: 5, seed: 5")));
    for (const { violations } of cut) {
      expect(violations.length).toBeGreaterThan(0);
      expect(expected).toMatchObject(named(violations));
    }
  });
});
