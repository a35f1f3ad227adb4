import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { HttpClient } from "../../../../src/adapters/http/index.ts";
import { MemoryAdapter } from "../../../../src/adapters/memory/index.ts";
import type { RaceAnswer } from "../../../../src/messages/race-messages.ts";
import { Action } from "../../../../src/model/declare/action.ts";
import { AgentDefinition } from "../../../../src/model/declare/agent.ts";
import { Invariant } from "../../../../src/model/declare/invariant.ts";
import { World } from "../../../../src/model/declare/world.ts";
import { RaceLane } from "../../../../src/races/index.ts";
import { withOwnData } from "../../../../src/races/own-data.ts";
import { laneOf } from "../../../support/lane-parts.ts";

interface User {
  token: string;
  logins: { at: string }[];
}

/**
 * Races two logins of one user, who has one session. The login that came first waits for the other one, and is therefore the last to write. `loses`:
 * a login drops the entry that another login wrote to the log in the meantime.
 */
async function raceLogins(loses: boolean, sides: readonly number[] = [0, 0]): Promise<RaceAnswer> {
  const store = new MemoryAdapter<User>({ state: { token: "", logins: [] } });
  let running = 0;
  let endWait: (() => void) | undefined;
  const handler = async (request: Request): Promise<Response> => {
    if (request.method === "GET") {
      const isOwn = request.headers.get("authorization") === `Bearer ${store.state.token}`;
      return Response.json({}, { status: store.state.token === "" || isOwn ? 200 : 401 });
    }
    const { logins } = store.state;
    const isFirst = ++running === 1;
    await new Promise(setImmediate);
    if (isFirst && running > 1) await new Promise<void>((resolve) => (endWait = resolve));
    const token = randomUUID();
    store.state.logins = [...(loses ? logins : store.state.logins), { at: "home" }];
    store.state.token = token;
    running--;
    endWait?.();
    return Response.json({ token });
  };
  const logIn = (name: string) =>
    new Action<object, HttpClient>({
      name,
      run: async (api) => {
        const response = await api.post("/login");
        api.setAuthToken(response.json<{ token: string }>().token);
        return response;
      },
    });
  const isLoggedIn = new Invariant<object, HttpClient>({ name: "logged_in", check: async ({ api }) => (await api.get("/me")).ok });
  const definition = new AgentDefinition<object, HttpClient>({
    world: new World({ api: new HttpClient(handler), systems: { users: store } }),
    actions: [logIn("log_in"), logIn("log_in_again")],
    invariants: [isLoggedIn],
  });
  const { runtime } = await laneOf(definition as unknown as AgentDefinition<never, never>);
  const lane = new RaceLane(runtime);
  try {
    return await lane.race({ path: [], sides, effort: { first: 2, trials: 4, delivery: "auto", seed: 0 }, mode: "search" });
  } finally {
    await lane.close();
  }
}

describe("simultaneous calls that each set the credentials of one client", () => {
  it.each([[[0, 0]], [[0, 1]]])("are no race if the state is that of some order, whichever call wrote last (%j)", async (sides) => {
    expect(await raceLogins(false, sides)).toMatchObject({ hit: undefined, hits: 0, dismissed: undefined, failure: undefined });
  });

  it.each([[[0, 0]], [[0, 1]]])("hide no race: a lost entry is found (%j)", async (sides) => {
    expect((await raceLogins(true, sides)).hit).toMatchObject({ verdict: "state" });
  });
});

/** Races three calls that each keep their own user in the context. The target executes the second of three calls first. `loses`: no call sees the others. */
async function raceUsers(loses: boolean): Promise<RaceAnswer> {
  const store = new MemoryAdapter({ state: { first: "", last: "", users: 0 } });
  const waiting: (() => void)[] = [];
  const handler = async (request: Request): Promise<Response> => {
    const { user } = (await request.json()) as { user: string };
    const { users } = store.state;
    await new Promise<void>((begin) => {
      if (waiting.push(begin) > 1) return;
      setImmediate(() => {
        const [one, other, ...rest] = waiting.splice(0);
        for (const next of [other, one, ...rest]) next?.();
      });
    });
    store.state.first ||= user;
    store.state.last = user;
    store.state.users = (loses ? users : store.state.users) + 1;
    return Response.json({}, { status: 201 });
  };
  const register = new Action<{ user: string }, HttpClient>({
    name: "register",
    run: async (api, context) => {
      const user = context.data.email();
      context.set("user", user);
      return api.post("/users", { json: { user } });
    },
  });
  const definition = new AgentDefinition<{ user: string }, HttpClient>({
    world: new World({ api: new HttpClient(handler), systems: { users: store } }),
    actions: [register],
    invariants: [],
  });
  const { runtime } = await laneOf(definition as unknown as AgentDefinition<never, never>);
  const lane = new RaceLane(runtime);
  try {
    const effort = { first: 2, trials: 4, delivery: "auto", seed: 0 } as const;
    return await lane.race(withOwnData({ path: [], draws: undefined, sides: [0, 0, 0], effort, mode: "search" }));
  } finally {
    await lane.close();
  }
}

describe("three calls with own data that each set the same context key", () => {
  it("are no race if the state is that of some order", async () => {
    expect(await raceUsers(false)).toMatchObject({ hit: undefined, hits: 0, trials: 4, dismissed: undefined, failure: undefined });
  });

  it("hide no race: a lost user is found", async () => {
    expect((await raceUsers(true)).hit).toMatchObject({ verdict: "state" });
  });
});
