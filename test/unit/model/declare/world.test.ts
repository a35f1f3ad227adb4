import { describe, expect, it } from "vitest";
import { Context, World } from "seqqa";
import { MemoryAdapter } from "seqqa/adapters/memory";
import { ActingClient } from "../../../support/acting-client.ts";

const memory = (value: number): MemoryAdapter<{ value: number }> => new MemoryAdapter({ state: { value } });

describe("parts", () => {
  it("are what was given", () => {
    const db = memory(1);
    const api = { call: () => 1 };
    const world = new World({ api, systems: { db }, clients: { admin: api }, context: { a: 1 } });
    expect(world.api).toBe(api);
    expect(world.systems["db"]).toBe(db);
    expect(world.systems["absent"]).toBeUndefined();
    expect(world.clients["admin"]).toBe(api);
    expect(world.clients["absent"]).toBeUndefined();
    expect(world.context.toJSON()).toEqual({ a: 1 });
  });

  it("have defaults", () => {
    const world = new World();
    expect(world.systems).toEqual({});
    expect(world.clients).toEqual({});
    expect(world.context).toBeInstanceOf(Context);
    expect(world.stateFromContext).toBeUndefined();
    expect(world.ignore).toEqual([]);
    expect(() => world.api).toThrow(/no api/);
  });

  it("a Context that was given is the world's own", () => {
    const context = new Context({ a: 1 });
    expect(new World({ context }).context).toBe(context);
  });

  it("a lane fills in what was left out, and only that", () => {
    const own = memory(1);
    const lanes = memory(2);
    const empty = new World();
    empty.complete({ api: () => "made" as never, systems: { db: lanes } });
    expect(empty.api).toBe("made");
    expect(empty.systems["db"]).toBe(lanes);
    const given = new World({ api: "given" as never, systems: { db: own } });
    given.complete({ api: () => expect.unreachable() as never, systems: { db: lanes } });
    expect(given.api).toBe("given");
    expect(given.systems["db"]).toBe(own);
  });
});

describe("checkpoint, rollback and observe", () => {
  it("save, put back and tell systems, context and clients together", async () => {
    const db = memory(1);
    const api = new ActingClient();
    const admin = new ActingClient();
    const world = new World<Record<string, unknown>, unknown>({ api, clients: { admin }, systems: { db }, context: { list: [1] } });
    const begun = await world.observe();
    expect(begun).toEqual({
      systems: { db: { kind: "value", hasEntryOrder: true, value: { value: 1 } } },
      context: { list: [1] },
      clients: {},
    });
    const checkpoint = await world.checkpoint();
    for (let round = 0; round < 2; round++) {
      db.state.value = 2;
      (world.context["list"] as number[]).push(2);
      api.setAuthToken("t");
      admin.setAuthToken("a");
      expect(await world.observe()).toEqual({
        systems: { db: { kind: "value", hasEntryOrder: true, value: { value: 2 } } },
        context: { list: [1, 2] },
        clients: { "": { token: "t" }, admin: { token: "a" } },
      });
      await world.rollback(checkpoint);
      expect(db.state).toEqual({ value: 1 });
      expect(world.context.toJSON()).toEqual({ list: [1] });
      expect(await world.observe()).toMatchObject({ clients: {} });
    }
  });

  it("save clients that an object of the user wraps", async () => {
    const [shop, bank] = [new ActingClient(), new ActingClient()];
    const world = new World({ api: { shop, call: () => 1 }, clients: { bank: { http: bank } } });
    expect([...world.allClients()]).toEqual([
      [".shop", shop],
      ["bank.http", bank],
    ]);
    const checkpoint = await world.checkpoint();
    shop.setAuthToken("secret");
    await world.rollback(checkpoint);
    expect((await world.observe()).clients).toEqual((await new World({ api: { shop: new ActingClient() } }).observe()).clients);
  });

  it("nested checkpoints go back one at a time", async () => {
    const db = memory(0);
    const world = new World({ api: {}, systems: { db } });
    const outer = await world.checkpoint();
    db.state.value = 1;
    const inner = await world.checkpoint();
    db.state.value = 2;
    await world.rollback(inner);
    expect(db.state.value).toBe(1);
    await world.rollback(outer);
    expect(db.state.value).toBe(0);
  });

  it("observe takes the keys of stateFromContext alone, set or not, and none that is ignored", async () => {
    const some = new World({ api: {}, context: { a: 1, b: 2, c: 3 }, stateFromContext: ["a", "c", "d" as never], ignore: ["c"] });
    expect((await some.observe()).context).toEqual({ a: 1 });
    const none = new World({ api: {}, context: { a: 1 }, stateFromContext: [] });
    expect((await none.observe()).context).toEqual({});
    const all = new World({ api: {}, context: { a: 1, b: 2 }, ignore: ["a"] });
    expect((await all.observe()).context).toEqual({ b: 2 });
  });

  it("close closes clients of ours and systems", async () => {
    const api = new ActingClient();
    const user = { close: () => expect.unreachable() };
    const world = new World<Record<string, unknown>, unknown>({ api, clients: { user }, systems: { db: memory(1) } });
    await world.close();
    expect(api.closed).toBe(true);
  });
});
