import fc from "fast-check";
import { expect, it } from "vitest";
import { BFS, CoverageGuided, DFS, Random, StateGraph, World } from "seqqa";
import { ApiResponse } from "seqqa/adapters/http";
import { MemoryAdapter } from "seqqa/adapters/memory";
import { size } from "../../sizes.ts";
import { runExplorer } from "../../support/run-explorer.ts";

/** An edge of a random graph: what it answers at each value of the store, and which value it leaves there. */
interface Edge {
  readonly from: number;
  readonly to: number;
  readonly answers: readonly ("ok" | "refused" | "null" | "throws")[];
  readonly leaves: readonly number[];
}

interface Model {
  readonly nodes: number;
  readonly edges: readonly Edge[];
  /** Per node, the values that its check denies. */
  readonly denied: readonly (readonly boolean[])[];
}

const VALUES = 3;

const models: fc.Arbitrary<Model> = fc.integer({ min: 1, max: 6 }).chain((nodes) =>
  fc.record({
    nodes: fc.constant(nodes),
    edges: fc.array(
      fc.record({
        from: fc.nat(nodes - 1),
        to: fc.nat(nodes - 1),
        answers: fc.array(fc.constantFrom("ok", "ok", "ok", "refused", "null", "throws"), { minLength: VALUES, maxLength: VALUES }),
        leaves: fc.array(fc.nat(VALUES - 1), { minLength: VALUES, maxLength: VALUES }),
      }),
      { minLength: 1, maxLength: 10 },
    ),
    denied: fc.array(
      fc.array(
        fc.integer({ min: 0, max: 9 }).map((draw) => draw === 0),
        { minLength: VALUES, maxLength: VALUES },
      ),
      { minLength: nodes, maxLength: nodes },
    ),
  }),
);

/** The same by hand, with nothing of the engine. */
function naive({ nodes, edges, denied }: Model): object {
  const states = new Set(["0,0"]);
  const at = new Set([0]);
  const followed = new Set<number>();
  const failed = new Set<number>();
  const deniedNodes = new Set<number>();
  const queue: [number, number][] = [];
  let transitions = 0;
  const meet = (node: number, value: number): void => {
    at.add(node);
    if (denied[node]![value]) return void deniedNodes.add(node);
    queue.push([node, value]);
  };
  meet(0, 0);
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const [node, value] = next;
    edges.forEach(({ from, to, answers, leaves }, edge) => {
      const answer = answers[value]!;
      if (from !== node || answer === "null") return;
      transitions++;
      if (answer === "throws") return void failed.add(edge);
      if (answer === "ok" || from === to) followed.add(edge);
      const reached = [answer === "ok" ? to : node, leaves[value]!] as const;
      if (states.has(reached.join(","))) return;
      states.add(reached.join(","));
      meet(...reached);
    });
  }
  const names = (wanted: (node: number) => boolean): string[] =>
    Array.from({ length: nodes }, (_, node) => node)
      .filter(wanted)
      .map(String);
  return {
    statesVisited: states.size,
    transitions,
    unreachedNodes: names((node) => !at.has(node)),
    deadEdges: edges.flatMap(({ from }, edge) => (at.has(from) && !followed.has(edge) && !failed.has(edge) ? [`e${edge}`] : [])),
    deniedChecks: names((node) => deniedNodes.has(node)),
  };
}

function graphOf({ nodes, edges, denied }: Model, strategy: BFS): StateGraph<Record<string, unknown>, MemoryAdapter<{ n: number }>> {
  const graph = new StateGraph<Record<string, unknown>, MemoryAdapter<{ n: number }>>({
    name: "random",
    strategy,
    world: () => {
      const db = new MemoryAdapter({ state: { n: 0 } });
      return new World({ api: db, systems: { db } });
    },
  });
  for (let node = 0; node < nodes; node++)
    graph.addNode(String(node), { initial: node === 0, check: ({ api }) => !denied[node]![api.state.n] });
  edges.forEach(({ from, to, answers, leaves }, index) =>
    graph.addEdge(String(from), String(to), {
      name: `e${index}`,
      action: async ({ state }) => {
        const answer = answers[state.n]!;
        if (answer === "null") return null;
        state.n = leaves[state.n]!;
        if (answer === "throws") throw new Error("thrown");
        return ApiResponse.of(answer === "ok" ? 200 : 409);
      },
    }),
  );
  return graph;
}

it("equals a naive exploration of random graphs, with every strategy", async () => {
  let claims = 0;
  await fc.assert(
    fc.asyncProperty(models, async (model) => {
      const expected = naive(model);
      for (const strategy of [new BFS(), new DFS(), new Random(), new CoverageGuided()] as const) {
        const result = await graphOf(model, strategy as BFS).explore();
        expect(result).toMatchObject({ ...expected, divergences: [], stopReason: "exhausted" });
        // What is claimed is listed; without anything that cuts, what is listed is claimed.
        const claimed = result.violations.flatMap(({ invariant }) => /^(.*)_(?:unreached|dead)$/.exec(invariant)?.[1] ?? []);
        const listed = [...result.unreachedNodes, ...result.deadEdges];
        claims += claimed.length;
        for (const one of claimed) expect(listed).toContain(one);
        if (result.errors.length === 0 && result.deniedChecks.length === 0) expect(claimed).toEqual(listed);
      }
    }),
    { numRuns: size(12, 2000) },
  );
  expect(claims).toBeGreaterThan(0);
});

it("gives one digest on lanes that write each other's states, are slow, and get lost", async () => {
  await fc.assert(
    fc.asyncProperty(models, fc.nat(1000), async (model, noise) => {
      const alone = await runExplorer(graphOf(model, new BFS()).compile());
      const { statesVisited } = naive(model) as { readonly statesVisited: number };
      expect(alone.explorer.committer.visited.size).toBe(statesVisited);
      for (const direct of [true, false]) {
        const several = await runExplorer(graphOf(model, new BFS()).compile(), {
          lanes: 3,
          depth: 2,
          losses: 0.1,
          delays: true,
          noise,
          direct,
        });
        expect(several.explorer.committer.digest.value()).toBe(alone.explorer.committer.digest.value());
        expect(several.explorer.divergences.all).toEqual([]);
      }
    }),
    { numRuns: size(10, 1000) },
  );
});
