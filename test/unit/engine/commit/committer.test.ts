import { beforeEach, describe, expect, it, vi } from "vitest";
import type { Committer, CommitterOptions } from "../../../../src/engine/commit/committer.ts";
import { FAILED, KIND, REDUCED, REFUSED, RENEWED, SHAPE, SKIPPED, UNLINKED, WROTE } from "../../../../src/messages/lane-messages.ts";
import type { Opened } from "../../../../src/engine/frontiers/index.ts";
import { committerAt, findingNews, type rootReport, rowsOf, type Told } from "../rows.ts";

let opened: number[];
let moved: number[];
let violations: string[];

beforeEach(() => {
  opened = [];
  moved = [];
  violations = [];
});

function committerOf(options: Partial<CommitterOptions> = {}, root: Parameters<typeof rootReport>[0] = {}): Committer {
  const heard: Partial<CommitterOptions> = {
    open: (node) => opened.push(node),
    moved: (node) => moved.push(node),
    onViolation: ({ key }) => violations.push(key),
  };
  return committerAt(["a", "b", "c"], { ...heard, ...options }, root);
}

const commit = (committer: Committer, node: number, action: number, told: Told): number =>
  committer.commit(node, action, { rows: rowsOf([told]), at: 0, stepEvents: told.found === true ? findingNews(action) : undefined }).to;

describe("the root", () => {
  it("is a state and opens the frontier", () => {
    const committer = committerOf();
    expect(committer.visited.size).toBe(1);
    expect(opened).toEqual([0]);
    expect(committer.nodes.path(0)).toEqual([]);
  });

  it("that breaks a rule is counted and reported, and never expanded", () => {
    const committer = committerOf({}, { findings: [{ invariant: "rule", severity: "high", message: "m" }] });
    expect(committer.visited.size).toBe(1);
    expect(opened).toEqual([]);
    const [found] = committer.findings.violations.values();
    expect(found).toMatchObject({ lastAction: "", status: 0, path: [], state: 0, count: 1 });
  });

  it("keeps errors of its checks", () => {
    const committer = committerOf({}, { errors: [{ code: "INVARIANT_THREW", message: "m", source: "rule", stack: undefined }] });
    expect([...committer.findings.errors.values()]).toMatchObject([{ path: [], count: 1 }]);
    expect(opened).toEqual([0]);
  });
});

describe("another state with the fingerprint of a known one", () => {
  it("is counted by its other hash, and stands for the known one all the same", () => {
    const committer = committerOf();
    expect(commit(committer, 0, 0, { to: 1, check: 0xffff })).toBe(1);
    expect(commit(committer, 0, 1, { to: 1, check: 0xffff })).toBe(1);
    expect(committer.collisions).toBe(0);
    expect(commit(committer, 0, 2, { to: 1, check: 0x8000 })).toBe(1);
    expect([committer.collisions, committer.visited.size]).toEqual([1, 2]);
  });

  it("is counted at the root state, too", () => {
    const committer = committerAt(["a"], {}, { rootCheck: 5 });
    commit(committer, 0, 0, { to: 0, check: 6 });
    expect(committer.collisions).toBe(1);
  });

  it("is not taken for one where there is no other hash", () => {
    const committer = committerOf();
    // The root of merged shards has none until it is met again.
    expect(commit(committer, 0, 0, { to: 0, check: 5 })).toBe(0);
    expect(commit(committer, 0, 1, { to: 0 })).toBe(0);
    expect(committer.collisions).toBe(0);
    commit(committer, 0, 2, { to: 0, check: 6 });
    expect(committer.collisions).toBe(1);
  });
});

describe("a state that hides which of its values belong together", () => {
  const reaching =
    (committer: Committer) =>
    (node: number, action: number, hash = 5): readonly [boolean, number, boolean] => {
      const rows = rowsOf([{ to: 1, check: hash }]);
      rows[KIND]! |= REDUCED | UNLINKED;
      const { reduced, check, unlinked } = committer.commit(node, action, { rows, at: 0 });
      return [reduced, check, unlinked];
    };

  it("is the same state on each path with the same last action, so that it is audited once", () => {
    const committer = committerOf();
    const reach = reaching(committer);
    const other = commit(committer, 0, 2, { to: 2 });
    commit(committer, 0, 0, { to: 1, check: 5 });
    expect(reach(other, 1)).toEqual([true, expect.any(Number), true]);
    expect(reach(other, 1)).toEqual(reach(0, 1));
  });

  it("is merged because of the order instead, if the order of generation differs", () => {
    const committer = committerOf();
    const reach = reaching(committer);
    reach(0, 0);
    expect([reach(0, 1)[2], reach(0, 2, 6)[2]]).toEqual([true, false]);
    expect([committer.reductions, committer.unlinkedReductions]).toEqual([2, 1]);
  });

  it("is another state on paths with other last actions, unless a step leads back to it", () => {
    const committer = committerOf();
    const reach = reaching(committer);
    expect(reach(0, 0)).toEqual([false, 5, false]);
    const [second, third] = [reach(0, 1), reach(0, 2)];
    expect([second[0], third[0]]).toEqual([true, true]);
    expect(new Set([0, 5, second[1], third[1]]).size).toBe(4);
    expect(reach(1, 0)).toEqual([false, 5, false]);
    expect([committer.reductions, committer.collisions]).toEqual([2, 0]);
  });
});

describe("committing", () => {
  it("counts steps, skips, states and edges", () => {
    const committer = committerOf();
    expect(commit(committer, 0, 0, { to: 1 })).toBe(1);
    expect(commit(committer, 0, 1, { kind: SKIPPED })).toBe(-1);
    expect(commit(committer, 0, 2, { kind: FAILED })).toBe(-1);
    expect(commit(committer, 1, 0, { to: 1, status: 404 })).toBe(1);
    expect([committer.steps, committer.skipped, committer.visited.size, committer.edges.size]).toEqual([3, 1, 2, 3]);
    expect([...committer.edges.to()]).toEqual([1, -1, 1]);
    expect([0, 1, 2].map((edge) => committer.edges.at(edge).clean)).toEqual([true, false, true]);
    expect(opened).toEqual([0, 1]);
    expect(committer.coverage()).toEqual({
      a: { applied: 2, skipped: 0, statuses: { 200: 1, 404: 1 } },
      b: { applied: 0, skipped: 1, statuses: {} },
      c: { applied: 1, skipped: 0, statuses: { 0: 1 } },
    });
  });

  it("a violating path goes no further; a clean path to the same state does, and becomes its path", () => {
    const committer = committerOf();
    commit(committer, 0, 0, { to: 5, status: 500, found: true });
    expect(opened).toEqual([0]);
    expect(committer.visited.size).toBe(2);
    commit(committer, 0, 1, { to: 2 });
    commit(committer, 2, 1, { to: 5 });
    expect(opened).toEqual([0, 2, 1]);
    expect(committer.nodes.path(1)).toEqual([1, 1]);
    // Once it is open, neither a clean edge nor a violating one opens it again.
    commit(committer, 2, 2, { to: 5 });
    commit(committer, 2, 0, { to: 5, found: true });
    expect(opened).toEqual([0, 2, 1]);
  });

  it("groups violations by invariant, action and status, counts them, and keeps the shortest path", () => {
    const committer = committerOf();
    commit(committer, 0, 0, { to: 1 });
    commit(committer, 1, 2, { to: 2, found: true });
    commit(committer, 0, 2, { to: 2, found: true });
    commit(committer, 0, 1, { to: 2, found: true });
    commit(committer, 1, 1, { to: 2, status: 201, found: true });
    expect(
      [...committer.findings.violations.values()].map(({ lastAction, status, count, path }) => [lastAction, status, count, path]),
    ).toEqual([
      ["c", 200, 2, [2]],
      ["b", 200, 1, [1]],
      ["b", 201, 1, [0, 1]],
    ]);
    expect(violations).toHaveLength(3);
  });

  it("the digest says parents, actions, status classes, kinds and findings", () => {
    const value = (told: Told, node = 0, action = 0): string => {
      const committer = committerOf();
      commit(committer, node, action, told);
      return committer.digest.value();
    };
    const base = value({ to: 1 });
    expect(value({ to: 1 })).toBe(base);
    expect(value({ to: 1, status: 201 })).toBe(base);
    // Which fingerprint a new state has is the target's business.
    expect(value({ to: 99 })).toBe(base);
    const others = [
      value({ to: 1, status: 404 }),
      value({ to: 0 }),
      value({ to: 1 }, 0, 1),
      value({ kind: SKIPPED }),
      value({ kind: FAILED }),
      value({ to: 1, found: true }),
    ];
    expect(new Set([base, ...others]).size).toBe(1 + others.length);
  });
});

describe("a depth bound", () => {
  it("counts states at the bound and does not open them", () => {
    const committer = committerOf({ maxDepth: 1 });
    commit(committer, 0, 0, { to: 1 });
    expect(opened).toEqual([0]);
    expect(committer.visited.size).toBe(2);
    expect(committer.boundary()).toBe(1);
  });

  it("a state met again at a smaller depth hands the shorter path on, and opens what lies within the bound now", () => {
    const committer = committerOf({ maxDepth: 3, relaxes: true });
    commit(committer, 0, 0, { to: 1 }); // depth 1
    commit(committer, 1, 0, { to: 2 }); // depth 2
    commit(committer, 2, 0, { to: 3 }); // depth 3: at the bound
    commit(committer, 2, 1, { to: 4, found: true }); // only ever reached with a finding
    expect(opened).toEqual([0, 1, 2]);
    commit(committer, 0, 1, { to: 2 }); // 2 is at depth 1 now, 3 at depth 2
    expect(opened).toEqual([0, 1, 2, 3]);
    expect(moved).toEqual([2]);
    expect(committer.nodes.path(2)).toEqual([1]);
    expect(committer.nodes.path(3)).toEqual([1, 0]);
    expect(committer.nodes.path(4)).toEqual([1, 1]);
    expect([...committer.nodes.depths()]).toEqual([0, 1, 1, 2, 2]);
    expect(committer.steps).toBe(5);
    expect(committer.boundary()).toBe(0);
  });

  it("shapes are kept of states at the bound alone, which a shorter path opens with them", () => {
    const shapes: Opened["shape"][] = [];
    const open = (_node: number, { shape }: Opened): number => shapes.push(shape);
    const step = (committer: Committer, node: number, action: number, to: number): void => {
      const rows = rowsOf([{ to }]);
      rows[SHAPE] = 70_000 + to;
      committer.commit(node, action, { rows, at: 0 });
    };
    const set = vi.spyOn(Map.prototype, "set");
    const kept = (): unknown[] => set.mock.calls.flatMap(([, value]) => (typeof value === "number" && value > 70_000 ? [value] : []));
    try {
      for (const relaxes of [false, true]) {
        const committer = committerOf({ maxDepth: relaxes ? 3 : Infinity, relaxes, shapes: true, open });
        for (const node of [0, 1, 2]) step(committer, node, 0, node + 1);
        expect(kept()).toEqual(relaxes ? [70_003] : []);
        // 2 is at depth 1 then, and 3 within the bound.
        step(committer, 0, 1, 2);
      }
    } finally {
      set.mockRestore();
    }
    expect(shapes).toEqual([0, 70_001, 70_002, 70_003, 0, 70_001, 70_002, 70_003]);
  });

  it("goes on over circles without end", () => {
    const committer = committerOf({ maxDepth: 9, relaxes: true });
    commit(committer, 0, 0, { to: 1 });
    commit(committer, 1, 0, { to: 2 });
    commit(committer, 2, 0, { to: 3 });
    commit(committer, 3, 0, { to: 1 });
    commit(committer, 3, 1, { to: 2 });
    commit(committer, 0, 1, { to: 3 });
    commit(committer, 0, 2, { to: 2 });
    expect([...committer.nodes.depths()]).toEqual([0, 1, 1, 1]);
  });

  it("a state known with a finding first, and cleanly at the bound, is what the bound keeps from being opened", () => {
    const committer = committerOf({ maxDepth: 2 });
    commit(committer, 0, 0, { to: 9, found: true });
    commit(committer, 0, 1, { to: 1 });
    commit(committer, 2, 1, { to: 9 });
    expect(committer.boundary()).toBe(1);
    expect(committer.deepest).toBe(2);
  });
});

it("a write that only renews generated values or times is not one that changed nothing visible", () => {
  const committer = committerOf();
  const write = (action: number, bits: number): void => {
    const rows = rowsOf([{ to: 0 }]);
    rows[KIND]! |= WROTE | bits;
    committer.commit(0, action, { rows, at: 0 });
  };
  write(0, RENEWED);
  write(1, 0);
  const { a, b } = committer.coverage();
  expect([a!.unseenWrites, b!.unseenWrites]).toEqual([undefined, 1]);
});

it("counts the 2xx answers of an action whose body refuses the request", () => {
  const committer = committerOf();
  const answered = (action: number, bits: number): void => {
    const rows = rowsOf([{ to: 0 }]);
    rows[KIND]! |= bits;
    committer.commit(0, action, { rows, at: 0 });
  };
  answered(0, REFUSED);
  answered(1, 0);
  const { a, b } = committer.coverage();
  expect([a, b]).toMatchObject([{ statuses: { 200: 1 }, refusedInBody: 1 }, { statuses: { 200: 1 } }]);
  expect(b).not.toHaveProperty("refusedInBody");
});

it("knows the actions whose writes only renewed values", () => {
  const committer = committerOf();
  const rows = rowsOf([{ to: 0 }]);
  rows[KIND]! |= WROTE | RENEWED;
  committer.commit(0, 1, { rows, at: 0 });
  expect([committer.renews(0), committer.renews(1)]).toEqual([false, true]);
});
