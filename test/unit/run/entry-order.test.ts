import { describe, expect, it } from "vitest";
import { ApiResponse } from "../../../src/adapters/http/index.ts";
import { MemoryAdapter } from "../../../src/adapters/memory/index.ts";
import { Action, Agent, Invariant, World } from "../../../src/index.ts";
import type { ExplorationResult } from "../../../src/index.ts";

/** A queue whose entries have an order: `b` may not be served before `a` if both wait, or only if `mayOvertake`. */
interface Queue {
  /** The keys in their order. */
  keys(): readonly string[];
  set(key: string): void;
  delete(key: string): void;
}

type Stored = Map<string, number> | Record<string, number>;

function queueIn(stored: Stored): Queue {
  if (stored instanceof Map)
    return { keys: () => [...stored.keys()], set: (key) => void stored.set(key, 1), delete: (key) => void stored.delete(key) };
  return {
    keys: () => Object.keys(stored),
    set: (key) => void (stored[key] = 1),
    delete: (key) => void Reflect.deleteProperty(stored, key),
  };
}

/** Explores a queue of which `pop` takes the first entry (`fifo`), or the least entry. The rule says that `b` is never served while `a` waits. */
function exploreQueue(stored: Stored, isFifo: boolean): Promise<ExplorationResult> {
  const memory = new MemoryAdapter<{ queue: Stored; last: string | null; broken: boolean }>({
    state: { queue: stored, last: null, broken: false },
  });
  const queue = (): Queue => queueIn(memory.state.queue);
  const put = (key: string): Action<object, object> =>
    new Action<object, object>({
      name: `put_${key}`,
      run: async () => {
        if (queue().keys().includes(key)) return null;
        queue().set(key);
        return ApiResponse.of(201);
      },
    });
  const pop = new Action<object, object>({
    name: "pop",
    run: async () => {
      const keys = isFifo ? queue().keys() : queue().keys().toSorted();
      const [first] = keys;
      if (first === undefined) return null;
      queue().delete(first);
      memory.state.broken = first === "b" && keys.includes("a");
      memory.state.last = first;
      return ApiResponse.of(200);
    },
  });
  const agent = new Agent<object, object>({
    world: new World({ api: {}, systems: { memory } }),
    actions: [put("a"), put("b"), pop],
    invariants: [new Invariant({ name: "a_first", check: () => !memory.state.broken })],
  });
  return agent.explore();
}

const STORED: readonly (readonly [string, () => Stored])[] = [
  ["a Map", () => new Map()],
  ["an object", () => ({})],
];

describe("the order of the entries of a store in memory", () => {
  // Concurrent, because a search that starts again watches the idle stores first.
  it.concurrent.each(STORED)("%s: is part of the state if it matters", async (_what, stored) => {
    const { violations, reductions } = await exploreQueue(stored(), true);
    expect(violations).toMatchObject([{ invariant: "a_first", reproductionPath: ["put_b", "put_a", "pop"] }]);
    expect(reductions).toEqual([{ reason: "the order of entries of memory", merges: 1, audited: 1, refuted: 1 }]);
  });

  it.concurrent.each(STORED)("%s: is left out of the state if it does not matter", async (_what, stored) => {
    const { violations, reductions, verdict } = await exploreQueue(stored(), false);
    expect(violations).toEqual([]);
    expect(reductions).toMatchObject([{ reason: "the order of entries of memory", refuted: 0 }]);
    expect(verdict).toMatchObject({ complete: true, exceptions: [] });
  });
});

describe("a number and a bigint in memory", () => {
  it.concurrent.each([true, false])("are two states if the target tells them apart: %s", async (isToldApart) => {
    const memory = new MemoryAdapter<{ amount: number | bigint; broken: boolean }>({ state: { amount: 0, broken: false } });
    const set = (name: string, amount: number | bigint): Action<object, object> =>
      new Action<object, object>({
        name,
        run: async () => {
          if (memory.state.amount !== 0) return null;
          memory.state.amount = amount;
          return ApiResponse.of(200);
        },
      });
    const pay = new Action<object, object>({
      name: "pay",
      run: async () => {
        if (isToldApart && typeof memory.state.amount === "bigint") memory.state.broken = true;
        return ApiResponse.of(200);
      },
    });
    const { violations, reductions } = await new Agent<object, object>({
      world: new World({ api: {}, systems: { memory } }),
      actions: [set("set", 5), set("set_big", 5n), pay],
      invariants: [new Invariant({ name: "unbroken", check: () => !memory.state.broken })],
    }).explore();
    if (isToldApart) expect(violations).toMatchObject([{ reproductionPath: ["set_big", "pay"] }]);
    else {
      expect(violations).toEqual([]);
      expect(reductions).toMatchObject([{ reason: "the order of entries of memory", refuted: 0 }]);
    }
  });
});
