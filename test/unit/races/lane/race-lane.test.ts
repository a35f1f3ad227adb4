import { describe, expect, it } from "vitest";
import { RaceLane } from "../../../../src/races/index.ts";
import type { RaceRequest } from "../../../../src/messages/race-messages.ts";
import { Action } from "../../../../src/model/declare/action.ts";
import { AgentDefinition } from "../../../../src/model/declare/agent.ts";
import { Invariant } from "../../../../src/model/declare/invariant.ts";
import { ApiResponse } from "../../../../src/model/http/response.ts";
import { World } from "../../../../src/model/declare/world.ts";
import { HttpClient } from "../../../../src/adapters/http/index.ts";
import { MemoryAdapter } from "../../../../src/adapters/memory/index.ts";
import { laneOf } from "../../../support/lane-parts.ts";

interface Account {
  balance: number;
  log: string[];
}

const answer = (status: number, body: unknown): ApiResponse =>
  new ApiResponse(status, JSON.stringify(body), {}, { method: "POST", url: "/", headers: {} }, 0);
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** An account of 100. `gap`: looks, waits a turn, and writes. */
function bank({ gap, noisy = false }: { gap: boolean; noisy?: boolean }): {
  definition: AgentDefinition<never, never>;
  runs: () => number;
} {
  let runs = 0;
  const store = new MemoryAdapter<Account>({ state: { balance: 100, log: [] } });
  const spend = async (amount: number): Promise<ApiResponse> => {
    runs++;
    const { balance } = store.state;
    if (balance < amount) return answer(409, { error: "not enough" });
    if (gap) await turn();
    store.state.balance = balance - amount;
    if (noisy) store.state.log.push(`took ${runs}`);
    return answer(200, { left: store.state.balance });
  };
  const api = { spend, read: () => Promise.resolve(answer(200, store.state)) };
  const definition = new AgentDefinition<{ spent: number }, typeof api>({
    world: new World({ api, systems: { bank: store }, context: { spent: 0 } }),
    actions: [
      new Action({
        name: "spend_60",
        run: async (client, context) => {
          const response = await client.spend(60);
          if (response.statusCode === 200) context.spent += 60;
          return response;
        },
      }),
      new Action({ name: "spend_10", run: async (client) => client.spend(10) }),
      new Action({ name: "read", run: async (client) => client.read() }),
    ],
    invariants: [new Invariant({ name: "not_negative", check: () => store.state.balance >= 0 })],
  });
  return { definition: definition as unknown as AgentDefinition<never, never>, runs: () => runs };
}

const REQUEST: RaceRequest = {
  path: [],
  sides: [0, 0],
  effort: { first: 2, trials: 20, delivery: "auto", seed: 0 },
  mode: "search",
};

async function race(given: Parameters<typeof bank>[0], request: Partial<RaceRequest> = {}) {
  const { definition } = bank(given);
  const { base, runtime } = await laneOf(definition);
  const lane = new RaceLane(runtime);
  const before = await base.state.facts();
  const whole = JSON.stringify(before);
  try {
    return {
      answer: await lane.race({ ...REQUEST, ...request }),
      unchanged: async () => {
        await runtime.probe([]);
        return JSON.stringify(await base.state.facts()) === whole;
      },
    };
  } finally {
    await lane.close();
  }
}

describe("calls raced on a lane in memory", () => {
  it("finds an update that is lost, with what is allowed beside what is observed", async () => {
    const { answer: found, unchanged } = await race({ gap: true });
    expect(found).toMatchObject({ suspect: true, hits: 1, failure: undefined, dismissed: undefined });
    // One of the two is lost, which leaves what one call alone leaves: only the answers tell.
    expect(found.hit).toMatchObject({ verdict: "responses", delivery: "plain" });
    expect(found.hit!.observed.calls.map(({ status }) => status)).toEqual([200, 200]);
    expect(found.hit!.allowed.map(({ calls }) => calls.map(({ status }) => status))).toEqual([[200, 409]]);
    expect(found.hit!.observed.order).toBeNull();
    expect(await unchanged()).toBe(true);
  });

  it("is silent where looking and writing are one", async () => {
    const { answer: found } = await race({ gap: false });
    expect(found).toMatchObject({ suspect: true, hits: 0, trials: 20, hit: undefined, dismissed: undefined });
  });

  it("tries what is not suspect a few times only", async () => {
    const { answer: found } = await race({ gap: false }, { sides: [2, 2] });
    expect(found).toMatchObject({ suspect: false, hits: 0, trials: 2 });
  });

  it("measures a rate over all trials", async () => {
    const { answer: found } = await race({ gap: true }, { mode: "measure" });
    expect(found).toMatchObject({ hits: 20, trials: 20 });
  });

  it("races many copies of one call", async () => {
    const { answer: found } = await race({ gap: true }, { sides: [1, 1, 1, 1] });
    expect(found.hit).toMatchObject({ verdict: "state" });
    expect(found.hit!.observed.calls).toHaveLength(4);
    expect(found.hit!.allowed).toHaveLength(1);
  });

  it("finds a race of two actions, in each state that a path leads to", async () => {
    expect((await race({ gap: true }, { sides: [0, 1] })).answer.hit?.verdict).toBe("state");
    expect((await race({ gap: true }, { path: [0], sides: [1, 1] })).answer.hit?.verdict).toBe("state");
    expect((await race({ gap: true }, { path: [0], sides: [0, 0] })).answer.hit).toBeUndefined();
  });

  it("gives each side the context of the state, and compares it merged", async () => {
    // Both sides add 60 to the 0 that they know; merged, that is 60 in either order.
    const { answer: found } = await race({ gap: false }, { sides: [0, 1] });
    expect(found).toMatchObject({ hit: undefined, dismissed: undefined });
  });

  it("takes nothing for a race that an order shows now and then, too", async () => {
    // Alone for the first orders and their control arms, then every fifth call fails, raced or not.
    let calls = 0;
    const store = new MemoryAdapter({ state: { likes: 0 } });
    const like = (): Promise<ApiResponse> => {
      if (calls++ % 20 === 5) return Promise.resolve(answer(200, { lucky: true }));
      store.state.likes++;
      return Promise.resolve(answer(200, {}));
    };
    const definition = new AgentDefinition<object, { like: typeof like }>({
      world: new World({ api: { like }, systems: { likes: store } }),
      actions: [new Action({ name: "like", run: async (client) => client.like() })],
      invariants: [],
    });
    const { runtime } = await laneOf(definition as unknown as AgentDefinition<never, never>);
    const lane = new RaceLane(runtime);
    const seen = await lane.race(REQUEST);
    expect(seen).toMatchObject({ hits: 1, dismissed: undefined });
    calls = 0;
    const measured = await lane.race({ ...REQUEST, mode: "measure" });
    expect(measured).toMatchObject({ hit: undefined, hits: 0, dismissed: "noise" });
    expect(measured.trials).toBeGreaterThan(0);
    await lane.close();
  });

  it("takes nothing for a race that requests of calls come to which do not meet", async () => {
    const store = new MemoryAdapter({ state: { version: 1, edits: 0 } });
    // Each request is answered in one go. That a version is old is said with a status that also has other meanings.
    const handler = async (request: Request): Promise<Response> => {
      if (request.method === "GET") return Response.json({ version: store.state.version });
      const { version } = (await request.json()) as { version: number };
      if (version !== store.state.version) return Response.json({ error: "old" }, { status: 400 });
      store.state.version++;
      store.state.edits++;
      return Response.json({});
    };
    const definition = new AgentDefinition<object, HttpClient>({
      world: new World({ api: new HttpClient(handler), systems: { page: store } }),
      actions: [
        new Action({
          name: "edit",
          run: async (api) => {
            const { version } = (await api.get("/")).json<{ version: number }>();
            return api.put("/", { json: { version } });
          },
        }),
      ],
      invariants: [],
    });
    const { runtime } = await laneOf(definition as unknown as AgentDefinition<never, never>);
    const lane = new RaceLane(runtime);
    const seen = await lane.race(REQUEST);
    expect(seen).toMatchObject({ hit: undefined, hits: 0, dismissed: undefined, failure: undefined });
    expect(seen.trials).toBeGreaterThan(0);
    await lane.close();
  });

  it("takes nothing for a race that differs each time", async () => {
    const { answer: found } = await race({ gap: false, noisy: true }, { sides: [0, 1] });
    expect(found.hit).toBeUndefined();
  });

  it("does not look for another verdict than the one that is wanted, unless it is worse", async () => {
    const wanted = (verdict: "responses" | "invariant") => ({ wanted: { verdict, invariant: undefined } }) as const;
    const twice = { sides: [1, 1] };
    expect((await race({ gap: true }, { ...twice, ...wanted("responses") })).answer.hit?.verdict).toBe("state");
    expect((await race({ gap: true }, { ...twice, ...wanted("invariant") })).answer.hit).toBeUndefined();
  });

  it("says when the state is not there", async () => {
    const { answer: found } = await race({ gap: true }, { at: { lo: 1, hi: 2 } });
    expect(found).toMatchObject({ dismissed: "not_there", trials: 0, difference: undefined });
  });

  it("shows the state of a race, and names what differs if the state is not there", async () => {
    const { definition } = bank({ gap: true });
    const { base, runtime } = await laneOf(definition);
    const at = { lo: 0, hi: 0 };
    await base.state.fingerprint(base.canonicalizer, at);
    const lane = new RaceLane(runtime);
    const { before } = await lane.race({ ...REQUEST, at });
    expect(before?.lines).toContain("context.spent = 0");
    const { difference } = await lane.race({ ...REQUEST, path: [0], at, before });
    expect(difference).toMatch(/^The two states differ in context\.spent, [^\d]+\.$/);
    await lane.close();
  });
});
