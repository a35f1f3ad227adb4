import { describe, expect, it } from "vitest";
import { EXPANDED, UNCERTAIN } from "../../../../src/engine/graph/node-table.ts";
import { CheckQueue } from "../../../../src/engine/checks/check-queue.ts";
import { CommitJournal, type DoneCheck } from "../../../../src/engine/commit/commit-journal.ts";
import { BROKEN } from "../../../../src/messages/lane-messages.ts";
import { NodeWork } from "../../../../src/engine/search/node-work.ts";
import { committerAt, rowsOf } from "../rows.ts";

const ACTIONS = 2;

/** A chain of states 0, 1, 2, ... of which each is met again by action 1 of the state before. */
function queue({ first = 0, oneIn = 0, states = 4, seed = 0, auditsAll = false, actions = ACTIONS } = {}) {
  const committer = committerAt(["a", "b"], { journal: new CommitJournal() });
  for (let node = 0; node + 1 < states; node++) committer.commit(node, 0, { rows: rowsOf([{ to: node + 1 }]), at: 0 });
  const checks = new CheckQueue({ seed, actions, first, oneIn, maxDepth: 9, auditsAll }, committer);
  const { visited } = committer;
  const workOf = (node: number, snapshot: unknown, bits?: number): NodeWork => {
    const work = new NodeWork({ node, parent: undefined, action: -1, depth: node, lo: visited.lo(node), hi: visited.hi(node), snapshot });
    const rows = rowsOf([{ to: node + 1 }, { to: node + 1 }]);
    if (bits !== undefined) rows[0] = bits;
    work.learn(0, ACTIONS, rows, 0, ACTIONS);
    return work;
  };
  const due = (): readonly string[] => checks.next(100).map(({ path, check }) => `${check!.merge ? "merge" : "both"} ${path.join("")}`);
  const made = (...done: readonly DoneCheck[]) => ({
    wasChecked: ({ node, merge }: DoneCheck) => done.some((one) => one.node === node && one.merge === merge),
  });
  return { checks, committer, workOf, due, none: made(), made };
}

describe("which nodes are expanded once more", () => {
  it("the first ones that were written directly, but for the root", () => {
    const { checks, committer, workOf, due } = queue({ first: 2 });
    for (const node of [0, 1, 2, 3]) checks.expanded(node, workOf(node, "image"), true);
    expect(due()).toEqual(["both 0", "both 00"]);
    checks.expanded(1, workOf(1, undefined), true);
    checks.expanded(2, workOf(2, "image"), false);
    expect(due()).toEqual([]);
    // Of what was reached by its calls nothing is left to compare.
    expect(committer.journal!.take().checks).toEqual([
      { node: 1, merge: false },
      { node: 2, merge: false },
    ]);
  });

  it("those that were met along a second path, along that, once", () => {
    const { checks, workOf, due } = queue({ oneIn: 1 });
    checks.merged(2, { from: 0, action: 1 });
    checks.merged(2, { from: 1, action: 1 });
    checks.expanded(2, workOf(2, undefined), true);
    checks.expanded(2, workOf(2, undefined), true);
    expect(due()).toEqual(["merge 1"]);
  });

  it("none where an action breaks the target", () => {
    const { checks, workOf, due } = queue({ first: 9, oneIn: 1 });
    checks.merged(2, { from: 0, action: 1 });
    checks.expanded(2, workOf(2, "image", BROKEN), true);
    expect(due()).toEqual([]);
    expect(checks.auditsLeft).toBe(0);
  });
});

describe("merges of states whose values were generated in another order", () => {
  it("are audited along both paths, also where rows are on record", () => {
    const { checks, committer, workOf } = queue({ oneIn: 1 });
    checks.merged(3, { from: 0, action: 1, reduced: 1 });
    checks.expanded(3, workOf(3, undefined), true);
    committer.nodes.flag(2, EXPANDED);
    checks.merged(2, { from: 0, action: 1, reduced: 1 });
    const units = checks.next(100);
    expect(units.map(({ path, check }) => [path, check?.expected !== undefined, check?.along?.path, check?.reduced])).toEqual([
      [[1], true, [0, 0, 0], true],
      [[1], false, [0, 0], true],
    ]);
    for (const unit of units) checks.done(unit);
    expect(checks.audited).toBe(2);
  });

  it("count as left where an action breaks the target, or where the state may have another fingerprint", () => {
    const { checks, committer, workOf, due } = queue({ oneIn: 1 });
    checks.merged(2, { from: 0, action: 1, reduced: 1 });
    checks.expanded(2, workOf(2, undefined, BROKEN), true);
    committer.nodes.flag(3, EXPANDED | UNCERTAIN);
    checks.merged(3, { from: 0, action: 1, reduced: 1 });
    expect(due()).toEqual([]);
    expect(checks.auditsLeft).toBe(2);
  });

  it("count once for each pair of states", () => {
    const { checks, committer, due } = queue({ oneIn: 1 });
    committer.nodes.flag(2, EXPANDED);
    for (let times = 0; times < 4; times++) checks.merged(2, { from: 0, action: 1, reduced: 1 });
    expect(due()).toEqual(["merge 1"]);
  });

  it("are marked if no order tells the states apart", () => {
    const { checks, committer } = queue({ oneIn: 1 });
    committer.nodes.flag(2, EXPANDED);
    checks.merged(2, { from: 0, action: 1, reduced: 1, unlinked: true });
    checks.merged(2, { from: 1, action: 1, reduced: 2, unlinked: false });
    expect(checks.next(100).map(({ check }) => check?.unlinked)).toEqual([true, undefined]);
  });

  it("are all audited in a small search; in a large one the first three of a depth, and some of each action", () => {
    const { checks, committer, due } = queue({ oneIn: 1 });
    committer.nodes.flag(2, EXPANDED);
    const meet = (action: number, first: number, count: number): number => {
      for (let strict = first; strict < first + count; strict++) checks.merged(2, { from: 0, action, reduced: strict });
      return due().length;
    };
    expect(meet(1, 1, 64)).toBe(64);
    // The 128th, and about one in 20.
    expect(meet(1, 65, 100)).toBeLessThan(15);
    // An action that was not met before is audited at once, although its depth has had its share.
    expect(meet(0, 165, 1)).toBe(1);
  });

  it("are audited with states after them, if they are among the first three of their depth, or the first of their action", () => {
    const { checks, committer } = queue({ oneIn: 1 });
    committer.nodes.flag(2, EXPANDED);
    for (let strict = 1; strict <= 5; strict++) checks.merged(2, { from: 0, action: 1, reduced: strict });
    checks.merged(2, { from: 0, action: 0, reduced: 6 });
    expect(checks.next(100).map(({ check }) => check?.followed?.states ?? 0)).toEqual([30, 3, 3, 0, 0, 30]);
  });

  it("go far only while this takes few steps", () => {
    const { checks, committer } = queue({ oneIn: 1, actions: 100 });
    committer.nodes.flag(2, EXPANDED);
    for (let action = 0; action < 2; action++) checks.merged(2, { from: 0, action, reduced: action + 1 });
    expect(checks.next(100).map(({ check }) => check?.followed?.states)).toEqual([5, 3]);
  });

  it("may be repeated with a second between the steps, once for each two actions with which the paths end", () => {
    const { checks, committer } = queue({ oneIn: 1 });
    committer.nodes.flag(2, EXPANDED);
    const actions = [1, 1, 0, 1, 0];
    actions.forEach((action, index) => checks.merged(2, { from: 0, action, reduced: index + 1 }));
    expect(checks.next(100).map(({ check }) => check?.apart === true)).toEqual([true, false, true, false, false]);
  });

  it("are audited like that, too, where equal states are not trusted", () => {
    const { checks, workOf, due } = queue({ oneIn: 1_000_000, auditsAll: true });
    checks.merged(2, { from: 0, action: 1 });
    checks.expanded(2, workOf(2, undefined), false);
    expect(due()).toEqual(["merge 1"]);
  });

  it("may meet a state several times before it is expanded", () => {
    const { checks, workOf, due } = queue({ oneIn: 1_000_000 });
    checks.merged(3, { from: 0, action: 1, reduced: 1 });
    checks.merged(3, { from: 1, action: 1, reduced: 2 });
    checks.expanded(3, workOf(3, undefined), false);
    expect(due()).toEqual(["merge 1", "merge 01"]);
  });
});

describe("a run that goes on", () => {
  it("has what was sampled and not checked, whatever is left of how the nodes were reached", () => {
    const { checks, workOf, due, none, made } = queue({ first: 3, oneIn: 1 });
    const recall = (recorded: typeof none, direct = true): readonly string[] => {
      checks.merged(2, { from: 0, action: 1 });
      for (const node of [0, 1, 2, 3]) checks.recalled(node, workOf(node, undefined), direct, recorded);
      return due();
    };
    expect(recall(none)).toEqual(["both 0", "both 00", "merge 1", "both 000"]);
    expect(recall(made({ node: 1, merge: false }, { node: 2, merge: true }))).toEqual(["both 00", "both 000"]);
    expect(recall(made({ node: 2, merge: false }, { node: 2, merge: false }))).toEqual(["both 0", "merge 1", "both 000"]);
    // Where no state can be written there is nothing to compare but second paths.
    expect(recall(none, false)).toEqual(["merge 1"]);
  });

  it("is told which were made, with what was committed", () => {
    const { checks, committer, workOf, due, none } = queue({ first: 2, oneIn: 1 });
    checks.merged(2, { from: 0, action: 1 });
    checks.recalled(2, workOf(2, undefined), true, none);
    const units = checks.next(100);
    for (const unit of units) checks.done(unit);
    expect(committer.journal!.take().checks).toEqual([
      { node: 2, merge: false },
      { node: 2, merge: true },
    ]);
    expect(committer.journal!.take().checks).toEqual([]);
    checks.again(units[0]!);
    expect(due()).toEqual(["both 00"]);
  });
});
