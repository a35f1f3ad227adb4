import { describe, expect, it } from "vitest";
import { GraphModel } from "../../../../../../src/reports/html/app/graph/model/graph-model.ts";
import { groupedGraph, suggestedFields } from "../../../../../../src/reports/html/app/graph/model/grouped-graph.ts";
import { pathsBetween } from "../../../../../../src/reports/html/app/graph/model/paths-between.ts";
import { stateFields } from "../../../../../../src/reports/html/app/graph/model/state-fields.ts";
import { stateLabel } from "../../../../../../src/reports/html/app/graph/model/state-label.ts";
import { LabelPlaces } from "../../../../../../src/reports/html/app/graph/drawing/label-places.ts";

const order = (status: string, id = "#1"): string => `systems.db.orders + {id: ${id}, status: "${status}"}`;

/** A graph of states in lines, with edges as `[from, action, to]`; the first edge to a state is from its parent. */
function modelOf(states: readonly (readonly string[])[], edges: readonly (readonly [number, number, number])[]): GraphModel {
  const strings = [...new Set(states.flat())];
  const first = states.map((_, node) => edges.find(([, , to]) => to === node));
  const parent = first.map((edge, node) => (node === 0 ? -1 : edge![0]));
  return new GraphModel(
    {
      name: "shop",
      actions: ["a", "b", "c"],
      totalNodes: states.length,
      totalEdges: edges.length,
      withoutState: 0,
      withoutExchanges: 0,
      findings: [{ id: "finding-1", severity: "high", invariant: "rule", nodes: [0, 1, 3], edges: [0, 2] }],
      nodes: {
        id: states.map((_, node) => node),
        parent,
        action: first.map((edge, node) => (node === 0 ? -1 : edge![1])),
        depth: states.map((_, node) => Math.min(node, 2)),
        state: states.map((lines) => lines.map((line) => strings.indexOf(line))),
      },
      edges: {
        from: edges.map(([from]) => from),
        action: edges.map(([, action]) => action),
        to: edges.map(([, , to]) => to),
        status: edges.map(() => 200),
        found: edges.map(() => 0),
        exchanges: edges.map(() => null),
      },
    },
    { strings },
  );
}

/** Two orders that are made one after the other, in both orders of payment. */
const shop = modelOf(
  [[], [order("new")], [order("new"), order("new", "#2")], [order("paid")], [order("new"), order("paid", "#2")]],
  [
    [0, 0, 1],
    [1, 0, 2],
    [1, 1, 3],
    [2, 1, 4],
    [3, 0, 4],
    [4, 2, 4],
  ],
);

describe("the label of a state", () => {
  it.each<readonly [string, readonly string[], readonly string[], string]>([
    ["a row that is new", [], [order("new")], "+orders"],
    ["a cell that differs", [order("new")], [order("paid")], "orders.status: paid"],
    [
      "a row of the root state that differs",
      [],
      ['systems.db.orders - {id: 1, status: "new"}', 'systems.db.orders + {id: 1, status: "paid"}'],
      "orders.status: paid",
    ],
    ["a row of the root state that is gone", [], ["systems.db.orders - {id: 1}"], "−orders"],
    ["a row of the root state that is back", ["systems.db.orders - {id: 1}"], [], "+orders"],
    ["a value", ["context.user = 1"], ["context.user = 2"], "user: 2"],
    ["a value that is gone", ["context.user = 1"], [], "−user"],
    ["nothing", [order("new")], [order("new")], ""],
  ])("names %s", (_what, parent, own, label) => {
    expect(stateLabel(parent, own)).toBe(label);
  });
});

describe("the fields of states", () => {
  it("are the cells of rows, the values, and the numbers of rows that differ", () => {
    expect(stateFields(shop).map(({ name, values }) => [name, values])).toEqual([
      ["db.orders (rows)", ["0", "+1", "+2"]],
      ["db.orders.id", ["none", "#1", "#1, #2"]],
      ["db.orders.status", ["none", "new", "2 × new", "paid", "new, paid"]],
    ]);
  });

  it("group states: a group has the states that agree, an edge the actions between two groups, a path its groups", () => {
    const fields = stateFields(shop).filter(({ name }) => name === "db.orders (rows)");
    const grouped = groupedGraph(shop, fields);
    expect(grouped.groups!.members).toEqual([[0], [1, 3], [2, 4]]);
    expect(grouped.labelOf(1)).toBe("orders (rows): +1");
    expect(grouped.graph.edges.from.map((from, edge) => [from, grouped.graph.edges.to[edge], grouped.edgeName(edge)])).toEqual([
      [0, 1, "a"],
      [1, 2, "a"],
      [1, 1, "b"],
      [2, 2, "b +1"],
    ]);
    expect(grouped.graph.nodes.parent).toEqual([-1, 0, 1]);
    expect(grouped.graph.findings[0]).toMatchObject({ nodes: [0, 1, 1], edges: [0, 2] });
  });

  it("are suggested if they have no generated values and make few groups", () => {
    expect(suggestedFields(stateFields(shop)).map(({ name }) => name)).toEqual(["db.orders.status"]);
    expect(suggestedFields([])).toEqual([]);
  });
});

describe("the paths between two states", () => {
  const names = (from: number, to: number, most = 10): readonly string[] =>
    pathsBetween(shop, from, to, most).map((path) => path.map((edge) => shop.edgeName(edge)).join(" "));

  it("are all that visit no state twice, the shortest first", () => {
    expect(names(0, 4)).toEqual(["a a b", "a b a"]);
    expect(names(0, 4, 1)).toEqual(["a a b"]);
    expect(names(3, 4)).toEqual(["a"]);
    expect(names(4, 0)).toEqual([]);
    expect(names(2, 2)).toEqual([""]);
  });

  it("are found in a graph where nearly everything leads everywhere, in bounded time", () => {
    const size = 60;
    const states = Array.from({ length: size }, (_, node) => [`context.n = ${node}`]);
    const edges = states.flatMap((_, from) => states.flatMap((__, to) => (from === to || to === 0 ? [] : [[from, 0, to] as const])));
    expect(pathsBetween(modelOf(states, edges), 0, size - 1, 100)).toHaveLength(100);
  });
});

describe("the places of labels", () => {
  it("are taken once: a box that touches another one is refused, in other cells of the index, too", () => {
    const places = new LabelPlaces();
    expect(places.take(100, 100, 200, 14)).toBe(true);
    expect(places.take(190, 105, 20, 14)).toBe(false);
    expect(places.take(100, 120, 200, 14)).toBe(true);
    expect(places.take(100, 120, 10, 10, true)).toBe(true);
    expect(places.take(-300, -300, 50, 14)).toBe(true);
    expect(places.take(-320, -300, 50, 14)).toBe(false);
  });
});
