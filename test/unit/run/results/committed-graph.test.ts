import { expect, it } from "vitest";
import { EdgeLog } from "../../../../src/engine/graph/edge-log.ts";
import { NodeTable } from "../../../../src/engine/graph/node-table.ts";
import { CommittedGraph } from "../../../../src/run/results/committed-graph.ts";

function graph(): { readonly edges: EdgeLog; readonly graph: CommittedGraph } {
  const nodes = new NodeTable();
  nodes.add(-1, -1, 0);
  nodes.add(0, 1, 1);
  nodes.add(1, 0, 2);
  const edges = new EdgeLog();
  edges.add({ from: 0, action: 1, to: 1, status: 200, clean: true, found: false });
  edges.add({ from: 1, action: 0, to: 2, status: 201, clean: true, found: false });
  edges.add({ from: 1, action: 1, to: -1, status: 0, clean: false, found: false });
  return { edges, graph: new CommittedGraph({ nodes, edges }, ["a", "b"]) };
}

it("says what was committed, in lists that are indexed alike", () => {
  const { graph: one } = graph();
  expect([one.nodes, one.edges, one.actions]).toEqual([3, 3, ["a", "b"]]);
  expect([one.parents, one.parentActions, one.depths].map((list) => [...list])).toEqual([
    [-1, 0, 1],
    [-1, 1, 0],
    [0, 1, 2],
  ]);
  expect([one.edgeFrom, one.edgeAction, one.edgeTo, one.edgeStatus].map((list) => [...list])).toEqual([
    [0, 1, 1],
    [1, 0, 1],
    [1, 2, -1],
    [200, 201, 0],
  ]);
  expect(one.path(2)).toEqual(["b", "a"]);
});

it("makes each list once, and only when it is asked for", () => {
  const { edges, graph: one } = graph();
  let read = 0;
  const to = edges.to.bind(edges);
  edges.to = () => {
    read++;
    return to();
  };
  expect(read).toBe(0);
  expect(one.edgeTo).toBe(one.edgeTo);
  expect(read).toBe(1);
});
