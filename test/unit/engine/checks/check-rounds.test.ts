import { describe, expect, it, vi } from "vitest";
import type { CheckQueue } from "../../../../src/engine/checks/check-queue.ts";
import { CheckRounds } from "../../../../src/engine/checks/check-rounds.ts";
import type { Expansion, UnitRequest } from "../../../../src/messages/lane-messages.ts";

const unitOf = (path: number): UnitRequest => ({
  path: [path],
  from: 0,
  to: 1,
  lo: path,
  hi: 0,
  uncertain: false,
  snapshot: undefined,
  check: { expected: new Int32Array(0), merge: path % 2 === 1 },
});
const answer = (more: Partial<Expansion>): Expansion => ({
  finished: 0,
  rows: new Int32Array(0),
  stepEvents: [],
  snapshots: [],
  divergences: [],
  replayed: 1,
  checked: 2,
  busyMs: 3,
  failure: undefined,
  ...more,
});

function rounds(count: number, atOnce = 3) {
  const waiting = Array.from({ length: count }, (_, path) => unitOf(path));
  const done: UnitRequest[] = [];
  const checks = {
    get size() {
      return waiting.length;
    },
    next: (most: number) => waiting.splice(0, most),
    again: (unit: UnitRequest) => waiting.push(unit),
    done: (unit: UnitRequest) => done.push(unit),
  } as unknown as CheckQueue;
  const post = vi.fn<(lane: number, units: readonly UnitRequest[], take: (expansion: Expansion) => Promise<void>) => void>();
  const [measured, diverged, rebuild] = [vi.fn(), vi.fn(), vi.fn(() => Promise.resolve())];
  const of = new CheckRounds({ checks, atOnce: () => atOnce, post, measured, diverged, rebuild });
  const paths = (units: readonly UnitRequest[]): readonly number[] => units.map(({ path }) => path[0]!);
  return { of, waiting, done, post, measured, diverged, rebuild, paths };
}

describe("CheckRounds", () => {
  it("is due after every eight chunks of a lane, and never without checks", () => {
    const { of } = rounds(1);
    const due = Array.from({ length: 18 }, () => of.due(0));
    expect(due.map(Number).join("")).toBe("000000001000000001");
    expect(of.due(1)).toBe(false);
    expect(Array.from({ length: 20 }, () => rounds(0).of.due(0))).not.toContain(true);
  });

  it("is due with every chunk while very many wait, so that they never pile up", () => {
    const { of } = rounds(500);
    expect([of.due(0), of.due(0), of.due(1)]).toEqual([true, true, true]);
  });

  it("sends as many as fit a chunk, and takes in what came of them", async () => {
    const { of, post, done, measured, diverged, rebuild, waiting, paths } = rounds(5);
    of.send(0);
    expect([post.mock.calls[0]![0], paths(post.mock.calls[0]![1]), paths(waiting)]).toEqual([0, [0, 1, 2], [3, 4]]);
    const divergence = { kind: "merge", path: [1], message: "differs", differences: [] } as const;
    await post.mock.calls[0]![2](answer({ finished: 3, divergences: [divergence] }));
    expect([paths(done), diverged.mock.calls, measured.mock.calls.length, rebuild.mock.calls.length]).toEqual([
      [0, 1, 2],
      [[divergence]],
      1,
      0,
    ]);
  });

  it("sends nothing when there is nothing", () => {
    const { of, post } = rounds(0);
    of.send(0);
    expect(post).not.toHaveBeenCalled();
  });

  it("makes one that the lane was lost at once more, suspected, and those behind it as they are", async () => {
    const { of, post, done, waiting, rebuild, paths } = rounds(3);
    of.send(0);
    const failure = { kind: "dirty", unit: 1, action: 0, message: "lost" } as const;
    await post.mock.calls[0]![2](answer({ finished: 1, failure }));
    expect([paths(done), paths(waiting), waiting.map(({ suspect }) => suspect)]).toEqual([[0], [1, 2], ["dirty", undefined]]);
    expect(rebuild).toHaveBeenCalledWith(0, failure);
  });

  it("reports one that cannot be executed on the second lane either, by how it was met", async () => {
    for (const [path, kind] of [
      [0, "cross_check"],
      [1, "merge"],
    ] as const) {
      const { of, post, waiting, diverged, done } = rounds(0);
      waiting.push({ ...unitOf(path), suspect: "dirty" });
      of.send(0);
      await post.mock.calls[0]![2](answer({ failure: { kind: "dirty", unit: 0, action: 0, message: "elsewhere" } }));
      expect(diverged.mock.calls[0]![0]).toMatchObject({ kind, path: [path], message: expect.stringContaining("elsewhere") });
      expect([done.length, waiting.length]).toEqual([1, 0]);
    }
  });

  it("reports one that led to another state once, also if the second try agrees", async () => {
    const { of, post, diverged, done } = rounds(1);
    of.send(0);
    const failure = { kind: "dirty", unit: 0, action: 0, message: "elsewhere", differences: ["status: new, then odd"] } as const;
    await post.mock.calls[0]![2](answer({ failure }));
    expect([diverged.mock.calls.length, done.length]).toEqual([0, 0]);
    of.send(0);
    await post.mock.calls[1]![2](answer({ finished: 1 }));
    expect([diverged.mock.calls.length, done.length]).toEqual([1, 1]);
    expect(diverged.mock.calls[0]![0]).toMatchObject({
      kind: "cross_check",
      path: [0],
      message: expect.stringMatching(/another state than the first and the third: elsewhere/),
      differences: ["status: new, then odd"],
    });
  });

  it("blames a path for nothing that was seen once, whatever the lane was lost by before", async () => {
    const { of, post, waiting, diverged, done } = rounds(0);
    waiting.push(unitOf(1));
    const kinds = ["store", "dirty", "store"] as const;
    for (const [at, kind] of kinds.entries()) {
      of.send(0);
      await post.mock.calls[at]![2](answer({ failure: { kind, unit: 0, action: 0, message: "the connection was lost" } }));
      expect([waiting.map(({ suspect }) => suspect), done.length]).toEqual(at < 2 ? [[kind], 0] : [[], 1]);
    }
    expect(diverged).not.toHaveBeenCalled();
  });

  it.each(["unreachable", "store"] as const)("drops one that was lost twice (%s), and blames none where no unit is", async (kind) => {
    const { of, post, waiting, diverged } = rounds(0);
    waiting.push({ ...unitOf(0), suspect: kind }, unitOf(2));
    of.send(0);
    await post.mock.calls[0]![2](answer({ failure: { kind, unit: 0, action: 0, message: "gone" } }));
    expect([diverged.mock.calls.length, waiting.map(({ path }) => path[0])]).toEqual([0, [2]]);
    of.send(0);
    await post.mock.calls[1]![2](answer({ failure: { kind: "worker", unit: -1, action: 0, message: "gone" } }));
    expect(waiting.map(({ path, suspect }) => [path[0], suspect])).toEqual([[2, undefined]]);
  });
});
