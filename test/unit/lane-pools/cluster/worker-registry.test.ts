import { beforeEach, describe, expect, it } from "vitest";
import { WorkerRegistry } from "../../../../src/lane-pools/cluster/worker-registry.ts";

describe("Crew", () => {
  let now: number;
  let notes: string[];
  let workerRegistry: WorkerRegistry;

  beforeEach(() => {
    now = 0;
    notes = [];
    workerRegistry = new WorkerRegistry(
      (note) => notes.push(note),
      () => now,
    );
    workerRegistry.welcome("a", "host:1");
    workerRegistry.welcome("b", "host:2");
  });

  it("counts lanes of workers that are ready, and has nobody else", () => {
    expect([workerRegistry.lanes, workerRegistry.size, workerRegistry.has("a")]).toEqual([0, 0, false]);
    workerRegistry.ready("a", 2);
    workerRegistry.ready("strange", 100);
    workerRegistry.ready("a", 50);
    expect([
      workerRegistry.lanes,
      workerRegistry.size,
      workerRegistry.has("a"),
      workerRegistry.has("b"),
      workerRegistry.has("strange"),
    ]).toEqual([2, 1, true, false, false]);
    expect(notes).toEqual(["Worker host:1 joined with 2 lanes (now in the run: 1 worker, 2 lanes)."]);
  });

  it("keeps a worker as it is when its first words are said again", () => {
    workerRegistry.ready("a", 2);
    workerRegistry.welcome("a", "host:9");
    expect([workerRegistry.lanes, workerRegistry.has("a"), workerRegistry.nameOf("a")]).toEqual([2, true, "host:1"]);
  });

  it("counts off who leaves or is silent, once, and takes their late answers all the same", () => {
    workerRegistry.ready("a", 1);
    workerRegistry.ready("b", 3);
    workerRegistry.leave("a", null);
    workerRegistry.leave("a", "again");
    expect([workerRegistry.lanes, workerRegistry.has("a")]).toEqual([3, true]);
    now = 5999;
    workerRegistry.sweep();
    expect(workerRegistry.lanes).toBe(3);
    now = 6000;
    workerRegistry.sweep();
    workerRegistry.sweep();
    expect([workerRegistry.lanes, workerRegistry.has("b")]).toEqual([0, true]);
    expect(notes.slice(2)).toEqual([
      "Worker host:1 left (now in the run: 1 worker, 3 lanes).",
      "Worker host:2 has not answered for 6 s and is treated as lost (now in the run: 0 workers, 0 lanes).",
    ]);
    workerRegistry.heard("b");
    expect([workerRegistry.lanes, notes.at(-1)]).toEqual([3, "Worker host:2 answers again (now in the run: 1 worker, 3 lanes)."]);
  });

  it("waits longer for one that brings its lanes up, and takes it when it comes later still", () => {
    workerRegistry.leave("b", null);
    expect(workerRegistry.isAwaited).toBe(true);
    now = 14_999;
    workerRegistry.sweep();
    expect(workerRegistry.isAwaited).toBe(true);
    now = 15_000;
    workerRegistry.sweep();
    expect([workerRegistry.isAwaited, notes]).toEqual([false, []]);
    workerRegistry.ready("a", 2);
    expect([workerRegistry.lanes, workerRegistry.isAwaited, notes]).toEqual([
      2,
      false,
      ["Worker host:1 joined with 2 lanes (now in the run: 1 worker, 2 lanes)."],
    ]);
  });

  it("waits for one that brings its lanes up and says that it lives", () => {
    workerRegistry.leave("b", null);
    for (now = 0; now <= 100_000; now += 2000) {
      workerRegistry.heard("a");
      workerRegistry.sweep();
      expect(workerRegistry.isAwaited).toBe(true);
    }
    expect(notes).toEqual([]);
  });

  it("tells once why a worker left that never came up, however long that took", () => {
    now = 60_000;
    workerRegistry.sweep();
    workerRegistry.leave("a", "TARGET_NOT_READY");
    workerRegistry.leave("a", "TARGET_NOT_READY");
    workerRegistry.leave("b", null);
    expect(notes).toEqual(["Worker host:1 left: TARGET_NOT_READY (now in the run: 0 workers, 0 lanes)."]);
  });

  it("blames nobody for the time that the server was away", () => {
    workerRegistry.ready("a", 1);
    now = 60_000;
    workerRegistry.forgive();
    workerRegistry.sweep();
    expect(workerRegistry.lanes).toBe(1);
  });
});
