import { beforeEach, describe, expect, it } from "vitest";
import { Crew } from "../../../../src/lane-pools/cluster/worker-registry.ts";

describe("Crew", () => {
  let now: number;
  let notes: string[];
  let crew: Crew;

  beforeEach(() => {
    now = 0;
    notes = [];
    crew = new Crew(
      (note) => notes.push(note),
      () => now,
    );
    crew.welcome("a", "host:1");
    crew.welcome("b", "host:2");
  });

  it("counts lanes of workers that are ready, and has nobody else", () => {
    expect([crew.lanes, crew.size, crew.has("a")]).toEqual([0, 0, false]);
    crew.ready("a", 2);
    crew.ready("strange", 100);
    crew.ready("a", 50);
    expect([crew.lanes, crew.size, crew.has("a"), crew.has("b"), crew.has("strange")]).toEqual([2, 1, true, false, false]);
    expect(notes).toEqual(["Worker host:1 joined with 2 lanes (1 worker, 2 lanes in all)."]);
  });

  it("keeps a worker as it is when its first words are said again", () => {
    crew.ready("a", 2);
    crew.welcome("a", "host:9");
    expect([crew.lanes, crew.has("a"), crew.nameOf("a")]).toEqual([2, true, "host:1"]);
  });

  it("counts off who leaves or is silent, once, and takes their late answers all the same", () => {
    crew.ready("a", 1);
    crew.ready("b", 3);
    crew.leave("a", null);
    crew.leave("a", "again");
    expect([crew.lanes, crew.has("a")]).toEqual([3, true]);
    now = 5999;
    crew.sweep();
    expect(crew.lanes).toBe(3);
    now = 6000;
    crew.sweep();
    crew.sweep();
    expect([crew.lanes, crew.has("b")]).toEqual([0, true]);
    expect(notes.slice(2)).toEqual([
      "Worker host:1 left (1 worker, 3 lanes in all).",
      "Worker host:2 was not heard of for 6 s (0 workers, 0 lanes in all).",
    ]);
    crew.heard("b");
    expect([crew.lanes, notes.at(-1)]).toEqual([3, "Worker host:2 is heard of again (1 worker, 3 lanes in all)."]);
  });

  it("waits longer for one that brings its lanes up, and takes it when it comes later still", () => {
    crew.leave("b", null);
    expect(crew.isAwaited).toBe(true);
    now = 14_999;
    crew.sweep();
    expect(crew.isAwaited).toBe(true);
    now = 15_000;
    crew.sweep();
    expect([crew.isAwaited, notes]).toEqual([false, []]);
    crew.ready("a", 2);
    expect([crew.lanes, crew.isAwaited, notes]).toEqual([2, false, ["Worker host:1 joined with 2 lanes (1 worker, 2 lanes in all)."]]);
  });

  it("waits for one that brings its lanes up and says that it lives", () => {
    crew.leave("b", null);
    for (now = 0; now <= 100_000; now += 2000) {
      crew.heard("a");
      crew.sweep();
      expect(crew.isAwaited).toBe(true);
    }
    expect(notes).toEqual([]);
  });

  it("tells once why a worker left that never came up, however long that took", () => {
    now = 60_000;
    crew.sweep();
    crew.leave("a", "TARGET_NOT_READY");
    crew.leave("a", "TARGET_NOT_READY");
    crew.leave("b", null);
    expect(notes).toEqual(["Worker host:1 left: TARGET_NOT_READY (0 workers, 0 lanes in all)."]);
  });

  it("blames nobody for the time that the server was away", () => {
    crew.ready("a", 1);
    now = 60_000;
    crew.forgive();
    crew.sweep();
    expect(crew.lanes).toBe(1);
  });
});
