import { describe, expect, expectTypeOf, it } from "vitest";
import { Invariant, SeqqaError, StateGraph, type Context, type StateGraphResult } from "seqqa";
import { ApiResponse } from "seqqa/adapters/http";

const action = async (): Promise<ApiResponse> => ApiResponse.of(200);
const graph = (): StateGraph => new StateGraph({ name: "order" }).addNode("empty", { initial: true }).addNode("created").addNode("paid");

function refusal(make: () => unknown): SeqqaError {
  try {
    make();
  } catch (error) {
    expect(error).toBeInstanceOf(SeqqaError);
    return error as SeqqaError;
  }
  return expect.unreachable();
}

describe("what cannot be a graph is refused when it is said, in one sentence with what to do", () => {
  it.each<readonly [string, () => unknown, RegExp, RegExp | undefined]>([
    ["no options", () => new StateGraph(undefined as never), /StateGraph needs a name/, /new StateGraph\(\{ name/],
    ["an empty name", () => new StateGraph({ name: " " }), /StateGraph needs a name/, /new StateGraph/],
    ["maxSteps 0", () => new StateGraph({ name: "g", maxSteps: 0 }), /The StateGraph's maxSteps is 0/, undefined],
    ["maxDepth 1.5", () => new StateGraph({ name: "g", maxDepth: 1.5 }), /The StateGraph's maxDepth is 1.5/, undefined],
    ["maxTime as a word", () => new StateGraph({ name: "g", maxTime: "soon" as never }), /The StateGraph's maxTime is/, undefined],
    [
      "an unknown strategy",
      () => new StateGraph({ name: "g", strategy: { kind: "best" } as never }),
      /strategy is not a strategy of seqqa/,
      /new BFS\(\)/,
    ],
    [
      "a plain invariant",
      () => new StateGraph({ name: "g", invariants: [{}] as never }),
      /invariants\[0\] is not an instance/,
      /new Invariant/,
    ],
    ["an empty node", () => graph().addNode(""), /A node needs a name/, /addNode\("paid"\)/],
    ["a node that is no text", () => graph().addNode(7 as never), /A node needs a name/, /addNode/],
    ["a node twice", () => graph().addNode("paid"), /addNode\("paid"\): there is already a node with this name/, /once/],
    [
      "a second initial node",
      () => graph().addNode("b", { initial: true }),
      /only one initial node, and "empty" is already the initial node/,
      /Remove initial: true/,
    ],
    [
      "initial that is no boolean",
      () => graph().addNode("b", { initial: "yes" as never }),
      /initial must be true or false, not string/,
      undefined,
    ],
    [
      "a check that is no function",
      () => graph().addNode("b", { check: true as never }),
      /check must be a function check\(world\), not boolean/,
      undefined,
    ],
    [
      "an edge from nowhere",
      () => graph().addEdge("creatd", "paid", { action }),
      /addEdge\("creatd", "paid"\): there is no node "creatd"/,
      /Did you mean "created"\?/,
    ],
    [
      "an edge to nowhere",
      () => graph().addEdge("paid", "zzzzzzzz", { action }),
      /there is no node "zzzzzzzz"/,
      /The nodes of the graph are "empty", "created", "paid"/,
    ],
    [
      "an edge before any node",
      () => new StateGraph({ name: "g" }).addEdge("a", "b", { action }),
      /there is no node "a"/,
      /Call addNode\(\) for the nodes before/,
    ],
    [
      "an edge without options",
      () => graph().addEdge("empty", "paid", undefined as never),
      /needs a function action\(client, context\)/,
      /\{ action: async/,
    ],
    [
      "an edge with a function in place of options",
      () => graph().addEdge("empty", "paid", action as never),
      /needs a function action/,
      /\{ action: async/,
    ],
    [
      "an edge with an empty name",
      () => graph().addEdge("empty", "paid", { action, name: "" }),
      /the name of an edge must not be empty/,
      /"empty -> paid"/,
    ],
    [
      "two edges between two nodes without names",
      () => graph().addEdge("empty", "paid", { action }).addEdge("empty", "paid", { action }),
      /an edge from "empty" to "paid" already has the name "empty -> paid"/,
      /Give the new edge another name: addEdge\(.*\{ name: "..."/,
    ],
    [
      "a name twice",
      () => graph().addEdge("empty", "paid", { action, name: "pay" }).addEdge("created", "paid", { action, name: "pay" }),
      /an edge from "empty" to "paid" already has the name "pay"/,
      /Give the new edge another name/,
    ],
    [
      "an invariant with the name of a check's finding",
      () =>
        new StateGraph({ name: "g", invariants: [new Invariant({ name: "paid_denied", check: () => true })] }).addNode("paid", {
          check: () => true,
        }),
      /"paid_denied", but an invariant/,
      /Give the invariant another name/,
    ],
  ])("%s", (_what, make, message, hint) => {
    const error = refusal(make);
    expect(error).toMatchObject({ code: "STATE_GRAPH_INVALID", exitStatus: 2 });
    expect(error.message).toMatch(message);
    expect(error.message).toMatch(/^[^\n]*\.$/);
    if (hint === undefined) expect(error.hint).toBeUndefined();
    else expect(error.hint).toMatch(hint);
  });

  it.each<readonly [string, StateGraph, RegExp, RegExp]>([
    ["no nodes", new StateGraph({ name: "g" }), /The StateGraph "g" has no nodes/, /addNode/],
    ["no initial node", new StateGraph({ name: "g" }).addNode("a"), /has no initial node/, /addNode\("a", \{ initial: true \}\)/],
    ["no edges", graph(), /has no edges/, /addEdge/],
  ])("%s: when it is explored", async (_what, given, message, hint) => {
    await expect(given.explore({} as never)).rejects.toMatchObject({
      code: "STATE_GRAPH_INVALID",
      exitStatus: 2,
      message: expect.stringMatching(message) as string,
      hint: expect.stringMatching(hint) as string,
    });
  });

  it("what is added after the exploration began", async () => {
    const given = graph().addEdge("empty", "created", { action });
    const running = given.explore({} as never);
    for (const late of [() => given.addNode("late"), () => given.addEdge("created", "paid", { action })]) {
      const error = refusal(late);
      expect(error.message).toMatch(/was called after the exploration of "order" began/);
      expect(error.hint).toMatch(/before explore\(\)/);
    }
    await running;
  });

  it("a client beside a world, and a client for several lanes", async () => {
    const world = (): never => expect.unreachable();
    const withWorld = new StateGraph({ name: "g", world }).addNode("a", { initial: true }).addEdge("a", "a", { action });
    await expect(withWorld.explore({} as never)).rejects.toMatchObject({ code: "STATE_GRAPH_INVALID", exitStatus: 2 });
    const plain = new StateGraph({ name: "g" }).addNode("a", { initial: true }).addEdge("a", "a", { action });
    await expect(plain.explore({} as never, { parallel: 2 })).rejects.toMatchObject({ code: "LANES_NEED_MODULE", exitStatus: 2 });
  });
});

it("adding chains, context and client are typed", async () => {
  interface Order {
    id: number;
  }
  class Model {
    pay(): ApiResponse {
      return ApiResponse.of(200);
    }
  }
  const typed = new StateGraph<Order, Model>({ name: "typed" })
    .addNode("empty", { initial: true, check: (world) => world.context.get("id") === undefined })
    .addNode("paid")
    .addEdge("empty", "paid", {
      action: async (client, context) => {
        expectTypeOf(client).toEqualTypeOf<Model>();
        expectTypeOf(context).toEqualTypeOf<Context<Order>>();
        context.set("id", 1);
        // @ts-expect-error -- the key is a number
        if (Math.random() > 1) context.set("id", "one");
        return client.pay();
      },
    })
    // @ts-expect-error -- an action returns a response, null, or nothing
    .addEdge("paid", "paid", { action: async () => "paid" });
  expectTypeOf(typed).toEqualTypeOf<StateGraph<Order, Model>>();
  // @ts-expect-error -- another client
  expectTypeOf(typed.explore).toBeCallableWith("http://127.0.0.1");
  const result = await typed.explore(new Model());
  expectTypeOf(result).toEqualTypeOf<StateGraphResult>();
  expect(result).toMatchObject({ statesVisited: 2, unreachedNodes: [], deadEdges: [], deniedChecks: [] });
  expect(result.errors).toMatchObject([{ code: "ACTION_NO_RESPONSE", source: "paid -> paid" }]);
});
