import { describe, expect, test } from "vitest";
import { MemoryAdapter } from "../../../../src/adapters/memory/index.ts";
import { SeqqaError } from "../../../../src/model/errors.ts";
import { leaseOver } from "../../../../src/stores/external/external-store.ts";
import { TestWorld } from "../../../../src/testing/world/test-world.ts";

type Rows = MemoryAdapter<string[]>;

/** A world over lists in memory. */
function worldOf(count: number, lateWrites: "error" | "undo" = "error"): { readonly world: TestWorld; readonly stores: readonly Rows[] } {
  const stores = Array.from({ length: count }, () => new MemoryAdapter<string[]>({ state: [] }));
  const named = new Map(stores.map((store, i) => [i === 0 ? "db" : `store${i}`, store]));
  const urls = Object.fromEntries([...named.keys()].map((name) => [name, `memory:${name}`]));
  return { world: new TestWorld({ worker: 0, urls, stores: named, lateWrites, end: () => Promise.resolve() }), stores };
}

const all = (stores: readonly Rows[]): string => stores.map(({ state }) => state.join("")).join("|");

const busy = (): Promise<void> =>
  Promise.reject(new SeqqaError("STORE_BUSY", "The database x stayed busy for 5 s: a session is idle in a transaction.", { hint: "?" }));

test("a world in place whose lease is over says what tests can do", async () => {
  const { world, stores } = worldOf(1);
  const checkpoint = await world.checkpoint("debugged");
  stores[0]!.restore = () => {
    throw leaseOver("the database x");
  };
  await expect(checkpoint.restore()).rejects.toMatchObject({
    code: "LEASE_OVER",
    hint: expect.stringMatching(/breakpoint.*run `seqqa clean`/) as string,
  });
});

describe("nesting", () => {
  test("each checkpoint goes back to its own state, in every store", async () => {
    const { world, stores } = worldOf(2);
    const suite = await world.checkpoint("suite");
    stores[0]!.state.push("s");
    {
      await using _file = await world.checkpoint("file");
      stores[1]!.state.push("f");
      {
        await using _test = await world.checkpoint("test");
        stores[0]!.state.push("t");
        stores[1]!.state.push("t");
        expect(all(stores)).toBe("st|ft");
      }
      expect(all(stores)).toBe("s|f");
    }
    expect(all(stores)).toBe("s|");
    await suite.restore();
    expect(all(stores)).toBe("|");
  });

  test("a checkpoint can be restored again, and does nothing after its end", async () => {
    const { world, stores } = worldOf(1);
    const checkpoint = await world.checkpoint();
    expect(checkpoint.name).toBe("checkpoint 1");
    for (const write of ["a", "b"]) {
      stores[0]!.state.push(write);
      await checkpoint.restore();
      expect(all(stores)).toBe("");
    }
    await checkpoint[Symbol.asyncDispose]();
    stores[0]!.state.push("c");
    await checkpoint[Symbol.asyncDispose]();
    expect(all(stores)).toBe("c");
    await expect(checkpoint.restore()).rejects.toMatchObject({ code: "CHECKPOINT_OVER" });
  });

  test("two tests at once in one world: the one that loses its checkpoint says so", async () => {
    const { world, stores } = worldOf(1);
    const first = await world.checkpoint("first");
    const second = await world.checkpoint("second");
    stores[0]!.state.push("x");
    await first.restore();
    await expect(second.restore()).rejects.toMatchObject({ code: "CHECKPOINT_OVER", message: expect.stringContaining('"second"') });
    await expect(second[Symbol.asyncDispose]()).rejects.toMatchObject({ code: "CHECKPOINT_OVER" });
  });

  test("after close nothing is taken or restored, and the end of a block is quiet", async () => {
    const { world } = worldOf(1);
    const checkpoint = await world.checkpoint("test");
    await world.close();
    await world.close();
    await expect(world.checkpoint()).rejects.toMatchObject({ code: "WORLD_CLOSED" });
    await expect(checkpoint.restore()).rejects.toMatchObject({ code: "WORLD_CLOSED" });
    await checkpoint[Symbol.asyncDispose]();
  });
});

describe("late writes", () => {
  test("the next checkpoint is refused, names the earlier one, and the write is undone", async () => {
    const { world, stores } = worldOf(2);
    for (const name of ["first\u001b[31m", "second"]) await (await world.checkpoint(name))[Symbol.asyncDispose]();
    await (await world.checkpoint("pays\u001b[31m"))[Symbol.asyncDispose]();
    stores[1]!.state.push("late");
    const refused: unknown = await world.checkpoint("next").catch((error: unknown) => error);
    expect(refused).toMatchObject({
      code: "LATE_WRITE",
      message: 'Something wrote to store1 after seqqa had restored the checkpoint "pays\\u001b[31m". seqqa undid this write.',
    });
    expect(all(stores)).toBe("|");
    await using _next = await world.checkpoint("after that");
  });

  test("undo: the write is undone without a message", async () => {
    const { world, stores } = worldOf(1, "undo");
    await (await world.checkpoint("first"))[Symbol.asyncDispose]();
    stores[0]!.state.push("late");
    await using _next = await world.checkpoint("next");
    expect(all(stores)).toBe("");
  });

  test("a write after a checkpoint is none, also before a nested one", async () => {
    const { world, stores } = worldOf(1);
    await (await world.checkpoint("first"))[Symbol.asyncDispose]();
    await using _file = await world.checkpoint("file");
    stores[0]!.state.push("seed");
    await using _test = await world.checkpoint("test");
    expect(all(stores)).toBe("seed");
  });
});

describe("a restore that fails", () => {
  test("names the test, restores the other stores, and is tried again before the next checkpoint", async () => {
    const { world, stores } = worldOf(2);
    const checkpoint = await world.checkpoint("pays");
    for (const { state } of stores) state.push("x");
    const restore = stores[0]!.restore.bind(stores[0]);
    stores[0]!.restore = busy as never;
    await expect(checkpoint[Symbol.asyncDispose]()).rejects.toMatchObject({
      code: "STORE_BUSY",
      message: 'seqqa could not restore the checkpoint "pays": The database x stayed busy for 5 s: a session is idle in a transaction.',
      hint: expect.stringMatching(/^End all transactions before the test "pays" ends/),
    });
    expect(all(stores)).toBe("x|");
    await expect(world.checkpoint("next")).rejects.toMatchObject({ message: expect.stringContaining('"pays"') });
    stores[0]!.restore = restore;
    await using _next = await world.checkpoint("next");
    expect(all(stores)).toBe("|");
  });

  test("the first checkpoint names itself", async () => {
    const { world, stores } = worldOf(1);
    stores[0]!.mark = busy as never;
    await expect(world.checkpoint("suite")).rejects.toMatchObject({
      code: "STORE_BUSY",
      message: expect.stringContaining('seqqa could not make the checkpoint "suite": '),
    });
  });
});

test("dbUrl is the store db, or the only one", () => {
  expect(worldOf(2).world.dbUrl).toBe("memory:db");
  const several = new TestWorld({
    worker: 0,
    urls: { cache: "redis://a", jobs: "redis://b" },
    stores: new Map(),
    lateWrites: "error",
    end: () => Promise.resolve(),
  });
  expect(() => several.dbUrl).toThrow(
    "A test used world.dbUrl, but the world has no store named db. The stores of the world are cache, jobs.",
  );
});
