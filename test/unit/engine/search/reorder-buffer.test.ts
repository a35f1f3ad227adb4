import { describe, expect, it } from "vitest";
import { ReorderBuffer, type Assignment } from "../../../../src/engine/search/reorder-buffer.ts";
import { SKIPPED } from "../../../../src/messages/lane-messages.ts";
import { NodeTable } from "../../../../src/engine/graph/node-table.ts";
import { COMMITTED, KNOWN, UNDER_WAY, UNKNOWN, NodeWork } from "../../../../src/engine/search/node-work.ts";
import { expansionOf, findingNews, rowsOf } from "../rows.ts";

const ACTIONS = 3;

function backlogOf(): { readonly reorderBuffer: ReorderBuffer; readonly nodes: NodeTable; readonly root: NodeWork } {
  const nodes = new NodeTable();
  nodes.add(-1, -1, 0);
  nodes.add(0, 1, 1);
  const reorderBuffer = new ReorderBuffer(ACTIONS, nodes);
  return { reorderBuffer, nodes, root: reorderBuffer.of(0, 1, 2) };
}

const extra = { suspect: undefined };
const whole = (work: NodeWork): Assignment => ({ work, from: 0, to: ACTIONS });
const states = (work: NodeWork): number[] => [0, 1, 2].map((action) => work.state(action));

describe("Work", () => {
  const work = (): NodeWork => new NodeWork({ node: 0, parent: undefined, action: -1, depth: 0, lo: 0, hi: 0, snapshot: undefined });

  it("goes from unknown over under way to known and committed, as a whole", () => {
    const one = work();
    expect(states(one)).toEqual([UNKNOWN, UNKNOWN, UNKNOWN]);
    one.begin(0, 3, ACTIONS);
    expect(states(one)).toEqual([UNDER_WAY, UNDER_WAY, UNDER_WAY]);
    one.learn(0, 3, rowsOf([{ to: 9 }, { to: 4 }, { to: 5 }, { to: 6 }]), 6, ACTIONS);
    expect(states(one)).toEqual([KNOWN, KNOWN, KNOWN]);
    expect([0, 1, 2].map((action) => one.rows[one.at(action) + 2])).toEqual([4, 5, 6]);
    for (const action of [0, 1, 2]) {
      expect(one.settled(ACTIONS)).toBe(false);
      one.commit(action, ACTIONS);
    }
    expect(one.settled(ACTIONS)).toBe(true);
  });

  it("the same in pieces and out of order", () => {
    const one = work();
    one.begin(1, 3, ACTIONS);
    expect(states(one)).toEqual([UNKNOWN, UNDER_WAY, UNDER_WAY]);
    one.learn(1, 2, rowsOf([{ to: 5 }]), 0, ACTIONS);
    one.abandon(2, 3, ACTIONS);
    expect(states(one)).toEqual([UNKNOWN, KNOWN, UNKNOWN]);
    one.commit(1, ACTIONS);
    one.learn(2, 3, rowsOf([{ to: 6 }]), 0, ACTIONS);
    one.learn(0, 1, rowsOf([{ to: 4 }]), 0, ACTIONS);
    expect(states(one)).toEqual([KNOWN, COMMITTED, KNOWN]);
    expect([0, 1, 2].map((action) => one.rows[one.at(action) + 2])).toEqual([4, 5, 6]);
    expect(one.uncommitted(ACTIONS)).toBe(2);
    one.commit(2, ACTIONS);
    one.commit(0, ACTIONS);
    expect(one.settled(ACTIONS)).toBe(true);
  });

  it("commits in order before it is taken apart count afterwards", () => {
    const one = work();
    one.learn(0, 3, rowsOf([{}, {}, {}]), 0, ACTIONS);
    one.commit(0, ACTIONS);
    one.commit(2, ACTIONS);
    expect(states(one)).toEqual([COMMITTED, KNOWN, COMMITTED]);
    one.commit(1, ACTIONS);
    expect(one.settled(ACTIONS)).toBe(true);
  });
});

describe("Backlog", () => {
  it("counts what is under way, buffered and executed, skips apart", () => {
    const { reorderBuffer, root } = backlogOf();
    reorderBuffer.begin(whole(root));
    expect([reorderBuffer.underWay, reorderBuffer.buffered, reorderBuffer.executed]).toEqual([3, 0, 0]);
    reorderBuffer.receive([whole(root)], expansionOf(1, [{ to: 3 }, { kind: SKIPPED }, { to: 4 }]));
    expect([reorderBuffer.underWay, reorderBuffer.buffered, reorderBuffer.executed]).toEqual([0, 2, 2]);
    reorderBuffer.committed();
    reorderBuffer.committed();
    expect(reorderBuffer.buffered).toBe(0);
  });

  it("after a lost lane, keeps what came through and opens the rest again", () => {
    const { reorderBuffer, root } = backlogOf();
    const other = reorderBuffer.of(1, 3, 4);
    const assignments = [whole(root), whole(other)];
    for (const one of assignments) reorderBuffer.begin(one);
    const failure = { kind: "worker", unit: 1, action: 2, message: "gone" } as const;
    reorderBuffer.receive(assignments, expansionOf(1, [{}, {}, {}, {}, {}], { failure }));
    expect(states(root)).toEqual([KNOWN, KNOWN, KNOWN]);
    expect(states(other)).toEqual([KNOWN, KNOWN, UNKNOWN]);
    expect([reorderBuffer.underWay, reorderBuffer.buffered]).toEqual([0, 5]);
  });

  it("of the action that a lane was lost at, keeps nothing that was said: what a session that ended caused is no finding", () => {
    const { reorderBuffer, root } = backlogOf();
    reorderBuffer.begin(whole(root));
    const failure = { kind: "dirty", unit: 0, action: 1, message: "The connection was lost" } as const;
    const told = {
      stepEvents: [findingNews(0), findingNews(1)],
      snapshots: [0, 1].map((action) => ({ unit: 0, action, snapshot: `behind ${action}` })),
      details: [0, 1].map((action) => ({ unit: 0, action, exchanges: [], state: undefined })),
    };
    // Both rows were written: the second before the lane knew.
    reorderBuffer.receive(
      [whole(root)],
      expansionOf(
        0,
        [
          { to: 3, found: true },
          { to: 4, found: true },
        ],
        { failure, ...told },
      ),
    );
    expect(states(root)).toEqual([KNOWN, UNKNOWN, UNKNOWN]);
    expect([root.stepEvents, root.snapshots, root.details].map((map) => [...map!.keys()])).toEqual([[0], [0], [0]]);
  });

  it("after a cancelled chunk, forgets the unit in progress", () => {
    const { reorderBuffer, root } = backlogOf();
    reorderBuffer.begin(whole(root));
    reorderBuffer.receive([whole(root)], expansionOf(0, [{}]));
    expect(states(root)).toEqual([UNKNOWN, UNKNOWN, UNKNOWN]);
    expect([reorderBuffer.underWay, reorderBuffer.buffered]).toEqual([0, 0]);
  });

  it("what was predicted joins the node that is opened, with what it knows", () => {
    const { reorderBuffer, root } = backlogOf();
    reorderBuffer.receive([whole(root)], expansionOf(1, [{}, { to: 3 }, {}], { snapshots: [{ unit: 0, action: 1, snapshot: "picture" }] }));
    const predicted = new NodeWork({ node: -1, parent: root, action: 1, depth: 1, lo: 3, hi: 7, snapshot: "picture" });
    root.children = new Map([[1, predicted]]);
    expect(reorderBuffer.path(predicted)).toEqual([1]);
    reorderBuffer.adopt(1, 0, 1);
    expect(reorderBuffer.get(1)).toBe(predicted);
    expect(predicted.node).toBe(1);
    expect(reorderBuffer.snapshot(1)).toBe("picture");
    expect(reorderBuffer.request({ work: predicted, from: 0, to: 2 }, extra)).toMatchObject({
      path: [1],
      from: 0,
      to: 2,
      lo: 3,
      hi: 7,
      snapshot: "picture",
    });
  });

  it("what was predicted and does not come is dropped: its outcomes are no longer buffered, later ones neither", () => {
    const { reorderBuffer, root } = backlogOf();
    const predicted = new NodeWork({ node: -1, parent: root, action: 1, depth: 1, lo: 3, hi: 7, snapshot: undefined });
    const deeper = new NodeWork({ node: -1, parent: predicted, action: 0, depth: 2, lo: 4, hi: 7, snapshot: undefined });
    root.children = new Map([[1, predicted]]);
    predicted.children = new Map([[0, deeper]]);
    const assignments = [{ work: predicted, from: 0, to: 2 }, whole(deeper), { work: predicted, from: 2, to: 3 }];
    for (const one of assignments) reorderBuffer.begin(one);
    reorderBuffer.receive(assignments.slice(0, 2), expansionOf(2, [{}, { kind: SKIPPED }, {}, {}, {}]));
    expect(reorderBuffer.buffered).toBe(4);
    reorderBuffer.dropPredicted(root, 1);
    expect(reorderBuffer.buffered).toBe(0);
    expect(root.children.size).toBe(0);
    reorderBuffer.receive(assignments.slice(2), expansionOf(1, [{}]));
    expect([reorderBuffer.underWay, reorderBuffer.buffered, reorderBuffer.executed]).toEqual([0, 0, 5]);
  });

  it("a node that gets another path starts anew; a unit that is given up has an outcome", () => {
    const { reorderBuffer } = backlogOf();
    const work = reorderBuffer.of(1, 3, 4);
    reorderBuffer.begin(whole(work));
    reorderBuffer.receive([whole(work)], expansionOf(1, [{}, {}, {}]));
    reorderBuffer.drop(1);
    expect(reorderBuffer.buffered).toBe(0);
    const again = reorderBuffer.of(1, 3, 4);
    expect(again).not.toBe(work);
    reorderBuffer.begin({ work: again, from: 0, to: 1 });
    reorderBuffer.receive(
      [{ work: again, from: 0, to: 1 }],
      expansionOf(0, [], { failure: { kind: "worker", unit: 0, action: 0, message: "" } }),
    );
    reorderBuffer.fail({ work: again, from: 0, to: 1 });
    expect(states(again)).toEqual([KNOWN, UNKNOWN, UNKNOWN]);
    expect([reorderBuffer.underWay, reorderBuffer.buffered]).toEqual([0, 1]);
    reorderBuffer.dropAll();
    expect(reorderBuffer.buffered).toBe(0);
    expect(reorderBuffer.get(1)).toBeUndefined();
  });

  it("a finished node is forgotten with its captured state", () => {
    const { reorderBuffer } = backlogOf();
    reorderBuffer.adoptRoot("picture");
    reorderBuffer.finish(0);
    expect(reorderBuffer.get(0)).toBeUndefined();
    expect(reorderBuffer.snapshot(0)).toBeUndefined();
  });
});
