import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { HttpClient } from "../../../../src/adapters/http/index.ts";
import { MemoryAdapter } from "../../../../src/adapters/memory/index.ts";
import type { LanePool } from "../../../../src/engine/lane-pool.ts";
import type { RaceRequest } from "../../../../src/messages/race-messages.ts";
import { Action } from "../../../../src/model/declare/action.ts";
import { AgentDefinition } from "../../../../src/model/declare/agent.ts";
import { World } from "../../../../src/model/declare/world.ts";
import { confirmRaces, probeRaces, RaceLane, RacesEnd } from "../../../../src/races/index.ts";
import { laneOf } from "../../../support/lane-parts.ts";
import { runExplorer } from "../../../support/run-explorer.ts";

interface Shop {
  /** The keys of payments that were accepted, or are in progress. */
  keys: string[];
  paid: number;
  users: string[];
}

/** A shop that pays an order once for each idempotency key, and registers each user once. `gap`: looks, lets others go first, and writes. */
function shop(gap: boolean): AgentDefinition {
  return new AgentDefinition<object, HttpClient>({
    world: () => {
      const store = new MemoryAdapter<Shop>({ state: { keys: [], paid: 0, users: [] } });
      const handler = async (request: Request): Promise<Response> => {
        const { state } = store;
        const { key, user } = (await request.json()) as { key?: string; user?: string };
        if (key !== undefined) {
          if (state.keys.includes(key)) return Response.json({});
          if (state.paid > 0) return Response.json({}, { status: 409 });
          state.keys.push(key);
          if (gap) await turn();
          state.paid++;
          return Response.json({});
        }
        if (state.users.includes(user!)) return Response.json({}, { status: 409 });
        if (gap) await turn();
        state.users.push(user!);
        return Response.json({}, { status: 201 });
      };
      return new World({ api: new HttpClient(handler), systems: { shop: store } });
    },
    actions: [
      new Action({ name: "pay", run: (api, { data }) => api.post("/pay", { json: { key: data.word() + data.integer(1, 1e9) } }) }),
      new Action({ name: "register", run: (api, { data }) => api.post("/users", { json: { user: data.email() } }) }),
      new Action({ name: "pay_plain", run: (api) => api.post("/pay", { json: { key: "" } }) }),
    ],
    invariants: [],
  }) as unknown as AgentDefinition;
}

const sent = (request: { readonly body?: string | undefined } | undefined): unknown => JSON.parse(request?.body ?? "{}");

/** Looks for the races of actions with themselves in the root state, and confirms them. */
async function racesOf(gap: boolean, { copies = 2, actions = [0, 1, 2] } = {}) {
  const definition = shop(gap);
  const { explorer } = await runExplorer(shop(gap), { maxDepth: 1 });
  const { runtime } = await laneOf(definition);
  const lane = new RaceLane(runtime);
  const asked: RaceRequest[] = [];
  const lanePool = {
    lanes: 1,
    race: (_lane: number, request: RaceRequest) => (asked.push(request), lane.race(request)),
    rebuild: () => Promise.resolve(),
    record: (_lane: number, path: readonly number[], draws: RaceRequest["draws"]) => runtime.record(path, draws),
  } as unknown as LanePool;
  const end = new RacesEnd(Infinity, undefined);
  const { seen, tally } = await probeRaces(explorer.committer, lanePool, {
    actions: 3,
    only: actions.map((action) => [action, action] as const),
    effort: { first: 2, trials: 2, delivery: "auto", seed: 0 },
    copies,
    end,
    onProgress: () => undefined,
  });
  const races = await confirmRaces(seen, lanePool, tally, end);
  const keysOf = ({ hit }: (typeof races)[number]) => hit.observed.calls.map(({ requests }) => sent(requests[0]?.request));
  return { races, keysOf, tally, asked, lane };
}

describe("an action that draws test data, raced with itself", () => {
  it("is raced with own data for each call, and with equal data", async () => {
    const { races, keysOf, tally, lane } = await racesOf(true, { actions: [0, 1] });
    const [paid, registered] = [races.find(({ request }) => request.sides[0] === 0)!, races.find(({ request }) => request.sides[0] === 1)!];
    // Two payments of one order need two keys, two users of one name need one name.
    const [first, second] = keysOf(paid) as { key: string }[];
    expect(first!.key).not.toBe(second!.key);
    const [one, other] = keysOf(registered);
    expect(one).toEqual(other);
    // Not each trial hits on a busy machine.
    for (const { answer } of races) expect(answer.hits).toBeGreaterThan(0);
    expect(tally.coverage()).toMatchObject({ dismissed: {} });
    // The request of a race repeats it: each call draws the same data as before.
    for (const race of races) {
      const again = await lane.race({ ...race.request, at: undefined, mode: "measure" });
      expect(again.hits).toBeGreaterThan(0);
      expect(keysOf({ ...race, hit: again.hit! })).toEqual(keysOf(race));
    }
  });

  it("is probed once more than an action without test data, and counted once", async () => {
    const { races, tally, asked } = await racesOf(false);
    expect(races).toEqual([]);
    expect(tally.coverage()).toMatchObject({ dismissed: {} });
    const requests = (action: number): number => asked.filter(({ path, sides }) => path.length === 0 && sides[0] === action).length;
    expect([0, 1, 2].map(requests)).toEqual([2, 2, 1]);
    const { pairs, probed, skipped } = tally.coverage();
    expect(probed + Object.values(skipped).reduce((sum, count) => sum + count, 0)).toBe(pairs);
  });

  it("is raced with as many calls as are wanted, at most three of them with own data", async () => {
    const { asked, races, keysOf } = await racesOf(true, { copies: 4, actions: [0] });
    expect(new Set(asked.filter(({ mode, path }) => mode === "search" && path.length === 0).map(({ sides }) => sides.length))).toContain(3);
    const paid = races.find(({ request }) => request.sides[0] === 0)!;
    // The third call was not needed.
    expect(paid.request.draws).toEqual([[], [0]]);
    expect(new Set(keysOf(paid).map((one) => (one as { key: string }).key)).size).toBe(2);
    expect((await racesOf(false, { copies: 4, actions: [0] })).races).toEqual([]);
  });
});
