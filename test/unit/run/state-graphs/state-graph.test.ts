import { describe, expect, it } from "vitest";
import { BFS, CoverageGuided, DFS, Invariant, Random, Severity, StateGraph, World, type StateGraphResult, type Strategy } from "seqqa";
import { ApiResponse } from "seqqa/adapters/http";
import { MemoryAdapter } from "seqqa/adapters/memory";

interface Store {
  n: number;
}
type Memory = MemoryAdapter<Store>;
type Keys = Record<string, unknown>;
type Answer = ApiResponse | null | undefined;

const ok = ApiResponse.of(200);

function graphOf(options: Partial<ConstructorParameters<typeof StateGraph<Keys, Memory>>[0]> = {}): StateGraph<Keys, Memory> {
  return new StateGraph<Keys, Memory>({
    name: "g",
    world: () => {
      const db = new MemoryAdapter<Store>({ state: { n: 0 } });
      return new World<Keys, Memory>({ api: db, systems: { db } });
    },
    ...options,
  });
}

/** Node `a`, and an edge to `b` that gives this answer. */
const single = (answer: (db: Memory) => Answer | Promise<Answer>): Promise<StateGraphResult> =>
  graphOf()
    .addNode("a", { initial: true })
    .addNode("b")
    .addEdge("a", "b", { action: async (db) => answer(db), name: "go" })
    .explore();

describe("a state is a node and what the world says", () => {
  it("two nodes over one and the same world are two states, and the context shows nothing of it", async () => {
    const seen: unknown[] = [];
    const graph = graphOf()
      .addNode("a", { initial: true })
      .addNode("b", { check: (world) => seen.push(world.context.toJSON(), Object.keys(world.context)) > 0 })
      .addEdge("a", "b", { action: async () => ok })
      .addEdge("b", "a", { action: async () => ok });
    expect(await graph.explore()).toMatchObject({ statesVisited: 2, transitions: 2, skipped: 2, violations: [], stopReason: "exhausted" });
    expect(seen.length).toBeGreaterThan(0);
    for (const one of seen) expect(one).toEqual(Array.isArray(one) ? [] : {});
  });

  it("one node over two worlds is two states", async () => {
    const graph = graphOf()
      .addNode("a", { initial: true })
      .addEdge("a", "a", { action: async (db) => ((db.state.n = (db.state.n + 1) % 3), ok) });
    expect(await graph.explore()).toMatchObject({ statesVisited: 3, transitions: 3, skipped: 0 });
  });

  it("names that look like ids or times of now are taken as they are", async () => {
    const names = [
      "3f1c9c1e-8a54-4f0e-9d3e-0d6a5b7c8d9e",
      "a2b4c6d8-1f2e-4a3b-8c9d-0e1f2a3b4c5d",
      new Date().toISOString(),
      String(Date.now()),
    ];
    const graph = graphOf().addNode("start", { initial: true });
    for (const name of names) graph.addNode(name).addEdge("start", name, { action: async () => ok });
    expect(await graph.explore()).toMatchObject({ statesVisited: 5, transitions: 4, unreachedNodes: [] });
  });

  it("is put back with the branch: edges of one node and one action, several between two nodes, loops and cycles", async () => {
    const trace: string[] = [];
    const action = async (db: Memory): Promise<ApiResponse> => {
      trace.push(String(db.state.n));
      db.state.n = 1 - db.state.n;
      return ok;
    };
    const graph = graphOf()
      .addNode("a", { initial: true })
      .addNode("b")
      .addNode("c")
      .addEdge("a", "b", { action })
      .addEdge("a", "c", { action })
      .addEdge("b", "c", { action, name: "first" })
      .addEdge("b", "c", { action, name: "second" })
      .addEdge("c", "c", { action })
      .addEdge("c", "a", { action });
    // Every step flips n: each node with each n is reached; two edges leave each node.
    expect(await graph.explore()).toMatchObject({ statesVisited: 6, transitions: 12, skipped: 24, deadEdges: [], unreachedNodes: [] });
  });

  it.each([new BFS(), new DFS(), new Random(), new CoverageGuided()])(
    "$kind finds the same states, and prunes by depth",
    async (strategy: Strategy) => {
      const graph = (bounds: object): StateGraph<Keys, Memory> => {
        const made = graphOf({ strategy, ...bounds });
        for (let i = 0; i < 6; i++) made.addNode(`n${i}`, { initial: i === 0 });
        for (let i = 0; i < 6; i++)
          made.addEdge(`n${i}`, `n${(i + 1) % 6}`, { action: async (db) => ((db.state.n = (db.state.n + 1) % 2), ok) });
        return made;
      };
      expect(await graph({}).explore()).toMatchObject({ statesVisited: 6, transitions: 6, violations: [] });
      const cut = await graph({ maxDepth: 3 }).explore();
      expect(cut).toMatchObject({
        statesVisited: 4,
        transitions: 3,
        stopReason: "max_depth",
        unreachedNodes: ["n4", "n5"],
        violations: [],
      });
      expect(await graph({ maxSteps: 2 }).explore()).toMatchObject({ statesVisited: 3, steps: 2, stopReason: "max_steps", violations: [] });
    },
  );

  it("is the root again after a reset, and replayed", async () => {
    let n = 0;
    const graph = new StateGraph<Keys, object>({
      name: "g",
      world: () => new World<Keys, object>({ api: {}, reset: () => void (n = 0) }),
      setup: (world) => world.context.set("ready", true),
    })
      .addNode("a", { initial: true, check: (world) => world.context.has("ready") && n === 0 })
      .addNode("b", { check: () => n === 1 })
      .addNode("c", { check: () => n === 2 })
      .addEdge("a", "b", { action: async () => (n++, ok) })
      .addEdge("b", "c", { action: async () => (n++, ok) })
      .addEdge("b", "b", { action: async () => ApiResponse.of(409) });
    const result = await graph.explore();
    expect(result).toMatchObject({ statesVisited: 3, transitions: 3, violations: [], errors: [], divergences: [] });
    expect(result.replayed).toBeGreaterThan(0);
  });

  it("the same World serves one exploration after the other, of graphs and agents", async () => {
    const db = new MemoryAdapter<Store>({ state: { n: 0 } });
    const world = new World<Keys, Memory>({ api: db, systems: { db } });
    const once = (): Promise<StateGraphResult> =>
      graphOf({ world })
        .addNode("a", { initial: true })
        .addNode("b")
        .addEdge("a", "b", { action: async (api) => (api.state.n++, ok) })
        .explore();
    const [first, second] = [await once(), await once()];
    expect(first).toMatchObject({ statesVisited: 2, violations: [] });
    expect(second.digest).toBe(first.digest);
  });
});

describe("when an edge is followed", () => {
  it.each<readonly [string, (db: Memory) => Answer | Promise<Answer>, Partial<StateGraphResult>]>([
    ["a response below 400", () => ApiResponse.of(302), { statesVisited: 2, transitions: 1, unreachedNodes: [] }],
    ["nothing returned", () => undefined, { statesVisited: 2, transitions: 1, unreachedNodes: [] }],
    ["400", () => ApiResponse.of(400), { statesVisited: 1, transitions: 1, unreachedNodes: ["b"], deadEdges: ["go"] }],
    ["null", () => null, { statesVisited: 1, transitions: 0, unreachedNodes: ["b"], deadEdges: ["go"] }],
    ["a throw", () => Promise.reject(new Error("no")), { statesVisited: 1, transitions: 1, unreachedNodes: ["b"], deadEdges: [] }],
    ["500", () => ApiResponse.of(500), { statesVisited: 1, transitions: 1, unreachedNodes: ["b"], deadEdges: [] }],
  ])("%s", async (_what, answer, expected) => {
    expect(await single(answer)).toMatchObject({ ...expected, stopReason: "exhausted" });
  });

  it("a loop is followed by a refusal, too: it leads to where it says; not by null", async () => {
    const loops = graphOf()
      .addNode("a", { initial: true })
      .addEdge("a", "a", { action: async () => ApiResponse.of(409), name: "refused" })
      .addEdge("a", "a", { action: async () => null, name: "never" });
    expect(await loops.explore()).toMatchObject({ statesVisited: 1, transitions: 1, deadEdges: ["never"] });
  });

  it("a refusal that changes the world leads to another state of the same node", async () => {
    const result = await single((db) => (db.state.n < 2 ? (db.state.n++, ApiResponse.of(409)) : ok));
    expect(result).toMatchObject({ statesVisited: 4, transitions: 3, unreachedNodes: [], deadEdges: [] });
  });
});

describe("what is said about the graph", () => {
  const found = ({ violations }: StateGraphResult): readonly string[] => violations.map(({ invariant }) => invariant);

  it("a denied check: path, response, confirmed, not gone on from", async () => {
    const graph = graphOf()
      .addNode("a", { initial: true })
      .addNode("b", { check: async (world) => (world.systems["db"] as Memory).state.n === 0 })
      .addNode("c")
      .addEdge("a", "b", { action: async (db) => (db.state.n++, ApiResponse.of(201, { n: db.state.n })), name: "go" })
      .addEdge("b", "c", { action: async () => ok });
    const result = await graph.explore();
    // What could only be reached from there is listed, and not claimed.
    expect(result).toMatchObject({ statesVisited: 2, transitions: 1, deniedChecks: ["b"], unreachedNodes: ["c"], deadEdges: ["b -> c"] });
    expect(found(result)).toEqual(["b_denied"]);
    expect(result.violations[0]).toMatchObject({
      severity: Severity.HIGH,
      reproductionPath: ["go"],
      response: { status: 201, body: '{"n":1}' },
      confirmed: true,
      count: 1,
    });
    expect(result.violations[0]!.message).toContain('node "b"');
  });

  it("the initial node's check is asked, too", async () => {
    const graph = graphOf()
      .addNode("a", { initial: true, check: () => false })
      .addEdge("a", "a", { action: async () => ok });
    const result = await graph.explore();
    expect(result).toMatchObject({ statesVisited: 1, steps: 0, deniedChecks: ["a"] });
    expect(result.violations).toMatchObject([{ invariant: "a_denied", reproductionPath: [], state: 0, confirmed: true }]);
  });

  it("invariants hold at every node", async () => {
    const graph = graphOf({ invariants: [new Invariant<Keys, Memory>({ name: "low", check: ({ api }) => api.state.n < 2 })] })
      .addNode("a", { initial: true })
      .addEdge("a", "a", { action: async (db) => (db.state.n++, ok), name: "up" });
    expect((await graph.explore()).violations).toMatchObject([{ invariant: "low", reproductionPath: ["up", "up"] }]);
  });

  it("an unreached node and a dead edge: LOW, of a stable id, on what was tried", async () => {
    const explore = (): Promise<StateGraphResult> =>
      graphOf()
        .addNode("a", { initial: true })
        .addNode("b")
        .addNode("island")
        .addEdge("a", "b", { action: async (db) => (db.state.n++, ok), name: "go" })
        .addEdge("b", "a", { action: async () => ApiResponse.of(409), name: "back" })
        .addEdge("island", "a", { action: async () => ok, name: "home" })
        .explore();
    const [result, again] = [await explore(), await explore()];
    // The edge that leaves the island says nothing that the island does not say.
    expect(result).toMatchObject({ unreachedNodes: ["island"], deadEdges: ["back"], deniedChecks: [] });
    expect(result.violations).toMatchObject([
      { invariant: "island_unreached", severity: "low", reproductionPath: [], state: null, confirmed: true, count: 1, request: undefined },
      { invariant: "back_dead", severity: "low", reproductionPath: ["go", "back"], state: null, confirmed: true, count: 1 },
    ]);
    expect(result.violations[0]!.message).toBe('no path reached the node "island": no edge leads there');
    expect(result.violations[1]!.message).toBe('the edge from "b" to "a" never applied: its action was answered 409 (once)');
    expect(result.violations[0]!.toString()).toContain("path      (none)");
    expect(again.violations.map(({ id }) => id)).toEqual(result.violations.map(({ id }) => id));
    expect(new Set(result.violations.map(({ id }) => id)).size).toBe(2);
    expect(result.toJSON()).toMatchObject({ unreachedNodes: ["island"], deadEdges: ["back"], deniedChecks: [] });
  });

  it("a budget claims nothing", async () => {
    for (const bounds of [{ maxSteps: 1 }, { maxDepth: 1 }]) {
      const result = await graphOf(bounds)
        .addNode("a", { initial: true })
        .addNode("b")
        .addNode("c")
        .addEdge("a", "a", { action: async (db) => ((db.state.n = (db.state.n + 1) % 5), ok) })
        .addEdge("a", "b", { action: async (db) => (db.state.n === 4 ? ok : null) })
        .addEdge("b", "c", { action: async () => ok })
        .explore();
      expect(result).toMatchObject({ violations: [], unreachedNodes: ["b", "c"], deadEdges: ["a -> b"] });
    }
  });

  it("an edge that threw is an error, and what could be behind it is not claimed; what could not, is", async () => {
    const graph = graphOf()
      .addNode("a", { initial: true })
      .addNode("b")
      .addNode("c")
      .addNode("island")
      .addEdge("a", "b", { action: () => Promise.reject(new Error("broken")), name: "throws" })
      .addEdge("b", "c", { action: async () => ok });
    const result = await graph.explore();
    expect(result.errors).toMatchObject([{ code: "ACTION_THREW", source: "throws" }]);
    expect(result).toMatchObject({ unreachedNodes: ["b", "c", "island"], deadEdges: [] });
    expect(found(result)).toEqual(["island_unreached"]);
  });
});
