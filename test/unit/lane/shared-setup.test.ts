import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { HttpClient } from "../../../src/adapters/http/index.ts";
import { MemoryAdapter } from "../../../src/adapters/memory/index.ts";
import { bringUp } from "../../../src/lane/index.ts";
import { Action } from "../../../src/model/declare/action.ts";
import { AgentDefinition } from "../../../src/model/declare/agent.ts";
import { Invariant } from "../../../src/model/declare/invariant.ts";
import { SeqqaError } from "../../../src/model/errors.ts";
import { ApiResponse } from "../../../src/model/http/response.ts";
import { SqliteAdapter } from "../../../src/adapters/sqlite/index.ts";
import { passedTimes, passesAt } from "../../../src/lane/state/saved-world.ts";
import { World } from "../../../src/model/declare/world.ts";
import { atEnd } from "../../support/at-end.ts";
import { laneOptions, laneOf, memoryParts } from "../../support/lane-parts.ts";
import { api, scratchDirectory } from "../../support/sqlite-scratch.ts";
import { closeServers, serve } from "../../support/http-servers.ts";

/** A store that cannot take rows of another lane: they change one that this lane does not have. */
class Seeded extends MemoryAdapter<{ logins: number; admin: string }> {
  override write(): void {
    throw new SeqqaError("JOURNAL_INCOHERENT", "The undo log does not agree with its rows.", { hint: "Choose clone." });
  }
}

function lane(admin: string, shared?: unknown): ReturnType<typeof bringUp> {
  const definition = new AgentDefinition<object, Seeded>({
    world: () => {
      const store = new Seeded({ state: { logins: 0, admin } });
      return new World<object, Seeded>({ api: store, systems: { store }, context: {} });
    },
    setup: ({ systems }) => void ((systems["store"] as Seeded).state.logins = admin.length),
    actions: [new Action<object, Seeded>({ name: "look", run: async () => ApiResponse.of(200, {}) })],
    invariants: [],
  });
  return bringUp(definition as unknown as AgentDefinition<never, never>, { ...memoryParts(0), shared }, laneOptions());
}

it("a lane whose target seeded its store otherwise than on the first lane is refused with what to do, not as an undo log that is wrong", async () => {
  const first = await lane("ada");
  atEnd(() => first.world.close());
  await expect(lane("charles", first.home.made)).rejects.toMatchObject({
    code: "ROOTS_DIFFER",
    message: expect.stringContaining(
      "Before `setup`, the rows in a store of this lane differ from the rows in the same store of the first lane",
    ) as string,
    hint: expect.stringContaining("Start the target once on the store of db_url") as string,
  });
});

it("a time that `setup` wrote to a store with checkpoints makes the root state another one when it has passed", async () => {
  const file = join(scratchDirectory(), "invites-test.db");
  const db = api(file, "CREATE TABLE invites (id INTEGER PRIMARY KEY, until TEXT)");
  const dueMs = Date.now() + 60_000;
  const store = new MemoryAdapter({ state: {} });
  const definition = new AgentDefinition<object, typeof store>({
    world: new World<object, typeof store>({ api: store, systems: { db: new SqliteAdapter({ file }) }, context: {} }),
    setup: () => void db.prepare("INSERT INTO invites VALUES (1, ?)").run(new Date(dueMs).toISOString()),
    actions: [new Action<object, typeof store>({ name: "look", run: async () => ApiResponse.of(200, {}) })],
    invariants: [],
  });
  const { base } = await laneOf(definition);
  atEnd(() => base.world.close());
  const { state, canonicalizer, home } = base;
  expect(passesAt(home.mark)).toBe(dueMs);
  const print = async (nowMs: number): Promise<object> => {
    await state.restore(home.mark);
    canonicalizer.renamer.clock = { now: () => nowMs, aheadMs: 0 };
    const out = { lo: 0, hi: 0 };
    await state.fingerprint(canonicalizer, out);
    return out;
  };
  const before = await print(dueMs - 1);
  expect(await print(dueMs)).not.toEqual(before);
});

it("a cookie that `setup` received stays valid in the root state, also on a lane that is built after its expiry", async () => {
  atEnd(closeServers);
  const url = await serve((_request, response) => {
    response.setHeader("set-cookie", ["cache=1; Max-Age=300", `sid=1; Max-Age=600000`]).end();
  });
  const setUp = async (shared?: unknown): ReturnType<typeof bringUp> => {
    const definition = new AgentDefinition<object, HttpClient>({
      world: () =>
        new World({ api: new HttpClient(url), systems: { store: new MemoryAdapter({ state: { login: Math.random() } }) }, context: {} }),
      setup: async ({ api: client }) => void (await client.get("/")),
      actions: [new Action<object, HttpClient>({ name: "look", run: async () => ApiResponse.of(200, {}) })],
      invariants: [],
    });
    return bringUp(definition as unknown as AgentDefinition<never, never>, { ...memoryParts(0), shared }, laneOptions());
  };
  const first = await setUp();
  atEnd(() => first.world.close());
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 3_600_000 });
  onTestFinished(() => void vi.useRealTimers());
  const later = await setUp(first.home.made);
  atEnd(() => later.world.close());
  expect(later.home.facts.lines).toEqual(first.home.facts.lines);
  expect(later.home.facts.whole).toEqual(first.home.facts.whole);
  expect(passesAt(first.home.mark)).toBe(Infinity);
});

it("a lane that is built after a time of `setup` has passed keeps its own data", async () => {
  const setUp = async (name: string, shared?: unknown): ReturnType<typeof bringUp> => {
    const file = join(scratchDirectory(), `${name}-test.db`);
    const db = api(file, "CREATE TABLE sessions (id INTEGER PRIMARY KEY, until TEXT)");
    const store = new MemoryAdapter({ state: {} });
    const definition = new AgentDefinition<object, typeof store>({
      world: new World<object, typeof store>({ api: store, systems: { db: new SqliteAdapter({ file }) }, context: {} }),
      setup: () => void db.prepare("INSERT INTO sessions VALUES (1, ?)").run(new Date(Date.now() + 60_000).toISOString()),
      actions: [new Action<object, typeof store>({ name: "look", run: async () => ApiResponse.of(200, {}) })],
      invariants: [],
    });
    const built = await bringUp(definition as unknown as AgentDefinition<never, never>, { ...memoryParts(0), shared }, laneOptions());
    atEnd(() => built.world.close());
    return built;
  };
  const first = await setUp("first");
  const until = (base: typeof first): string => base.home.facts.lines.find((line) => line.includes("until"))!;
  expect(until(await setUp("soon", first.home.made))).toBe(until(first));
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 3_600_000 });
  onTestFinished(() => void vi.useRealTimers());
  const later = await setUp("later", first.home.made);
  expect(passesAt(later.home.mark)).toBeGreaterThan(Date.now());
});

it("a cookie that expires makes the state another one", async () => {
  atEnd(closeServers);
  const url = await serve((_request, response) => {
    response.setHeader("set-cookie", ["flash=1; Max-Age=20", "sid=1; Max-Age=60", "theme=dark", "gone=1; Max-Age=0"]).end();
  });
  const definition = new AgentDefinition<object, HttpClient>({
    world: new World<object, HttpClient>({ api: new HttpClient(url), systems: { store: new MemoryAdapter({ state: {} }) }, context: {} }),
    actions: [new Action<object, HttpClient>({ name: "look", run: async (client) => client.get("/") })],
    invariants: [],
  });
  const startMs = Date.now();
  const { base } = await laneOf(definition);
  atEnd(() => base.world.close());
  const { state } = base;
  await (base.world.api as HttpClient).get("/");
  await state.facts();
  const mark = await state.mark();
  const dueMs = passesAt(mark);
  expect(dueMs).toBeGreaterThanOrEqual(startMs + 20_000);
  expect(dueMs).toBeLessThanOrEqual(Date.now() + 20_000);
  expect(passesAt(structuredClone(await state.capture()))).toBe(dueMs);
  expect([state.hasPassed, passedTimes(state.own())]).toEqual([false, []]);
  vi.useFakeTimers({ toFake: ["Date"], now: dueMs + 1 });
  onTestFinished(() => void vi.useRealTimers());
  expect([state.hasPassed, passedTimes(state.own())]).toEqual([true, ["the expiry of the cookie flash"]]);
  await state.facts();
  expect(state.hasPassed).toBe(false);
  expect(state.nextToPassMs).toBeGreaterThanOrEqual(startMs + 60_000);
  await state.restore(mark);
  expect(state.hasPassed).toBe(true);
});

it("a target that writes by itself while the root state is made does not make its checkpoint invalid", async () => {
  const file = join(scratchDirectory(), "beats-test.db");
  const db = api(file, "CREATE TABLE beats (n INTEGER); INSERT INTO beats VALUES (0)");
  const beat = (): unknown => db.prepare("UPDATE beats SET n = n + 1").run();
  let left = 2;
  class Beating extends SqliteAdapter {
    // A lane's own copy: in a store that is used in place, such a write would end the run.
    override open(scope: Parameters<SqliteAdapter["open"]>[0]): ReturnType<SqliteAdapter["open"]> {
      return super.open({ ...scope, borrowed: false, asked: undefined });
    }
    override root(): ReturnType<SqliteAdapter["root"]> {
      const rows = super.root();
      if (left-- > 0) beat();
      return rows;
    }
  }
  const store = new MemoryAdapter({ state: {} });
  const definition = new AgentDefinition<object, typeof store>({
    world: new World<object, typeof store>({ api: store, systems: { db: new Beating({ file }) }, context: {} }),
    actions: [new Action<object, typeof store>({ name: "look", run: async () => ApiResponse.of(200, {}) })],
    invariants: [],
  });
  const { base } = await laneOf(definition);
  atEnd(() => base.world.close());
  const { state, home } = base;
  beat();
  const snapshot = await state.capture();
  await state.write(snapshot);
  await state.restore(home.mark);
  expect(db.prepare("SELECT n FROM beats").pluck().get()).toBe(2);
});

it("an error of `setup` names the last answer", async () => {
  atEnd(closeServers);
  const url = await serve((_request, response) => response.writeHead(403, { "content-type": "application/json" }).end("{}"));
  const definition = new AgentDefinition<object, HttpClient>({
    world: new World<object, HttpClient>({ api: new HttpClient(url), systems: { store: new MemoryAdapter({ state: {} }) }, context: {} }),
    setup: async ({ api: client }) => void (await client.post("/login?key=secret")).json<{ user: { id: number } }>().user.id,
    actions: [new Action<object, HttpClient>({ name: "look", run: async (client) => client.get("/") })],
    invariants: [],
  });
  await expect(laneOf(definition)).rejects.toMatchObject({
    code: "SETUP_THREW",
    hint: "The last answer before the error: POST /login was answered 403.",
  });
});

it("a check whose answer renews or removes a cookie has not changed the client", async () => {
  atEnd(closeServers);
  let answers = 0;
  const url = await serve(({ url: path }, response) => {
    response.setHeader("set-cookie", path === "/gone" ? "sid=; Max-Age=0" : `sid=${++answers}; Max-Age=60`).end();
  });
  const definition = new AgentDefinition<object, HttpClient>({
    world: new World<object, HttpClient>({ api: new HttpClient(url), systems: { store: new MemoryAdapter({ state: {} }) }, context: {} }),
    setup: async ({ api: client }) => void (await client.get("/")),
    actions: [new Action<object, HttpClient>({ name: "look", run: async () => ApiResponse.of(200, {}) })],
    invariants: [
      new Invariant<object, HttpClient>({ name: "renews", message: "", check: async ({ api: client }) => (await client.get("/")).ok }),
      new Invariant<object, HttpClient>({ name: "removes", message: "", check: async ({ api: client }) => (await client.get("/gone")).ok }),
    ],
  });
  const { base } = await laneOf(definition);
  atEnd(() => base.world.close());
  expect(base.report.errors).toEqual([]);
  const { state, checker, home } = base;
  await checker.check(definition.actions[0] as never);
  expect(checker.checked).toMatchObject({ findings: [], errors: [] });
  const before = { lo: 0, hi: 0 };
  await state.fingerprint(base.canonicalizer, before);
  expect(before).toEqual({ lo: home.facts.node.lo, hi: home.facts.node.hi });
});

it("each lane keeps the URL of its own target that `setup` stored, and the root states are equal, also with a generated id in the URL", async () => {
  const laneAt = async (baseUrl: string, shared?: unknown): Promise<{ base: Awaited<ReturnType<typeof bringUp>>; link: () => string }> => {
    const store = new MemoryAdapter({ state: { link: "" } });
    const definition = new AgentDefinition<object, typeof store>({
      world: () => new World<object, typeof store>({ api: store, systems: { store }, context: {} }),
      setup: () => void (store.state.link = `${baseUrl}/docs/${randomUUID()}`),
      actions: [new Action<object, typeof store>({ name: "look", run: async () => ApiResponse.of(200, {}) })],
      invariants: [],
    });
    const parts = memoryParts(0);
    const lane = { ...parts.lane, baseUrl };
    const base = await bringUp(definition as unknown as AgentDefinition<never, never>, { ...parts, lane, shared }, laneOptions());
    return { base, link: () => store.state.link };
  };
  const first = await laneAt("http://127.0.0.1:3001");
  const second = await laneAt("http://127.0.0.1:3002", first.base.home.made);
  expect(second.link()).toContain("http://127.0.0.1:3002/");
  const { wholeLo, wholeHi, rootLo, rootHi, rootLines } = first.base.report;
  expect(second.base.report).toMatchObject({ wholeLo, wholeHi, rootLo, rootHi, rootLines });
  expect(rootLines).toEqual(['systems.store.link = "{{base_url}}/docs/root#1"']);
});
