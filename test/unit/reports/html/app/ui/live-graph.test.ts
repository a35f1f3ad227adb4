import { describe, expect, it } from "vitest";
import { grownLayout } from "../../../../../../src/reports/html/app/graph/layout/grown-layout.ts";
import { search } from "../../../../../../src/reports/html/app/graph/model/search.ts";
import { LiveGraph } from "../../../../../../src/reports/html/app/ui/live-graph.ts";
import type { UiNode } from "../../../../../../src/ui/messages.ts";
import { HOSTILE } from "../../../../../support/results.ts";

const node = (number: number, parent: number, more: Partial<UiNode> = {}): UiNode => ({
  node: number,
  name: `0000000${number}`,
  parent,
  action: parent < 0 ? -1 : 0,
  depth: parent < 0 ? 0 : 1,
  lines: [`context.order = ${number}`],
  ...more,
});
const edge = (from: number, to: number, action = 0) => ({ from, action, to, status: 200, found: false });

describe("the graph of a page", () => {
  it("grows at the ends of its lists, and names nodes by their places", () => {
    const live = new LiveGraph("shop", ["create", "pay"]);
    const { model } = live;
    live.add([node(0, -1), node(3, 0)], [edge(0, 3), edge(3, 9)]);
    model.grew();
    expect([model.nodes, model.edges]).toEqual([2, 1]);
    live.add([node(7, 3), node(8, 6), node(3, 0)], [edge(3, 7, 1), edge(3, -1, 0)]);
    model.grew();
    expect([model.nodes, model.edges, model.graph.nodes.id]).toEqual([3, 3, [0, 3, 7]]);
    expect(model.chain(2)).toEqual([0, 1, 2]);
    expect(model.leaving(1)).toEqual([1, 2]);
    expect(model.state(2)).toEqual(["context.order = 7"]);
    expect([live.placeOf("00000007"), live.placeOf(""), live.placeOf("ffffffff")]).toEqual([2, undefined, undefined]);
    expect(search(model, "00000007").nodes).toEqual([2]);
    expect(search(model, "000000").nodes).toEqual([0, 1, 2]);
  });

  it("marks the paths of findings, and both calls of a race", () => {
    const live = new LiveGraph("shop", ["create", "pay"]);
    live.add([node(0, -1), node(3, 0), node(7, 3)], [edge(0, 3), edge(3, 7, 1), edge(3, 3, 0)]);
    live.model.grew();
    const finding = { severity: "high", message: "" };
    live.mark([
      { ...finding, id: "a1", name: "once", path: ["create", "pay"] },
      { ...finding, id: "b2", name: "create || pay", path: ["create"], calls: ["create", "pay"] },
    ]);
    expect(live.model.graph.findings).toEqual([
      { id: "finding-a1", severity: "high", invariant: "once", nodes: [0, 1, 2], edges: [0, 1] },
      { id: "finding-b2", severity: "high", invariant: "race: create || pay", nodes: [0, 1, 2], edges: [0, 2, 1] },
    ]);
  });

  it("shows texts of the target without control characters", () => {
    const live = new LiveGraph(HOSTILE, [HOSTILE]);
    live.add([node(0, -1, { lines: [HOSTILE] })], []);
    live.model.grew();
    const { graph } = live.model;
    // oxlint-disable-next-line no-control-regex -- they are looked for
    expect([graph.name, ...graph.actions, ...live.model.state(0)!].join("")).not.toMatch(/[\u0000-\u001f\u202e]/);
  });

  it("keeps known nodes where they are, and puts new ones near their parents", () => {
    const before = Float32Array.of(0, 0, 40, 0);
    const grown = grownLayout(before, { nodes: { id: [], parent: [-1, 0, 1, 0], action: [], depth: [], state: [] } });
    expect(grown.slice(0, 4)).toEqual(before);
    expect(Math.hypot(grown[4]! - 40, grown[5]!)).toBeCloseTo(40, 3);
    expect(Math.hypot(grown[6]!, grown[7]!)).toBeCloseTo(40, 3);
    expect(grown[4]).toBeGreaterThan(40);
  });
});
