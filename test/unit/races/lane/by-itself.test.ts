import { randomInt } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { HttpClient } from "../../../../src/adapters/http/index.ts";
import { MemoryAdapter } from "../../../../src/adapters/memory/index.ts";
import type { RaceAnswer, RaceRequest } from "../../../../src/messages/race-messages.ts";
import { Action } from "../../../../src/model/declare/action.ts";
import { AgentDefinition } from "../../../../src/model/declare/agent.ts";
import { Invariant } from "../../../../src/model/declare/invariant.ts";
import { World } from "../../../../src/model/declare/world.ts";
import { RaceLane } from "../../../../src/races/index.ts";
import { some } from "../../../sizes.ts";
import { laneOf } from "../../../support/lane-parts.ts";

const REQUEST: RaceRequest = {
  path: [],
  sides: [0, 0],
  effort: { first: 2, trials: 8, delivery: "auto", seed: 0 },
  mode: "search",
};

type Handler = (request: Request) => Promise<Response>;

/** Races the calls of an API in this process. */
async function race<T extends object>(
  state: T,
  handlerOf: (store: MemoryAdapter<T>) => Handler,
  given: {
    readonly rule?: (state: T) => boolean;
    readonly method?: "POST" | "DELETE";
    readonly request?: Partial<RaceRequest>;
    readonly clockMs?: number;
  } = {},
): Promise<RaceAnswer> {
  const store = new MemoryAdapter<T>({ state });
  const call = (path: string) =>
    new Action<object, HttpClient>({
      name: path,
      run: (api) => (given.method === "DELETE" ? api.delete(`/${path}`) : api.post(`/${path}`)),
    });
  const definition = new AgentDefinition<object, HttpClient>({
    world: new World({ api: new HttpClient(handlerOf(store)), systems: { db: store } }),
    actions: [call("a"), call("b")],
    invariants: given.rule === undefined ? [] : [new Invariant({ name: "rule", check: () => given.rule!(store.state) })],
  });
  const { runtime } = await laneOf(
    definition as unknown as AgentDefinition<never, never>,
    given.clockMs === undefined ? {} : { clockMs: given.clockMs },
  );
  const lane = new RaceLane(runtime);
  try {
    return await lane.race({ ...REQUEST, ...given.request });
  } finally {
    await lane.close();
  }
}

const LETTERS = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789";
/** Ten letters and digits, as document stores draw them. */
const drawn = (): string => Array.from({ length: 10 }, () => LETTERS[randomInt(LETTERS.length)]).join("");

interface Users {
  users: Record<string, { name: string; acl: string }>;
}

/** Signs up ann, once. `gap`: looks for the name, lets others go first, and writes. */
const signUp =
  (gap: boolean, unsteady = false) =>
  (store: MemoryAdapter<Users>): Handler =>
  async () => {
    const isTaken = Object.values(store.state.users).some(({ name }) => name === "ann");
    if (isTaken) return Response.json({ error: `there is ${drawn()}` }, { status: 400 });
    if (gap) await sleep(1);
    const id = drawn();
    store.state.users[id] = { name: "ann", acl: JSON.stringify({ [id]: { read: true }, "*": {} }) };
    const body = { objectId: id, ACL: { "*": { read: true }, [id]: { write: true } }, of: { roles: [{ members: { [id]: { at: id } } }] } };
    return Response.json(
      unsteady ? { ...body, [`x${drawn()}`]: [randomInt(1e6)], list: Array.from({ length: randomInt(30) }, drawn) } : body,
      { status: 201 },
    );
  };

const once = ({ users }: Users): boolean => Object.keys(users).length < 2;

describe("ids that are drawn at random and too short to look so, also as keys", () => {
  it.each([false, true])("hide no rule that breaks, unsteady answers: %s", async (unsteady) => {
    expect((await race({ users: {} }, signUp(true, unsteady), { rule: once })).hit).toMatchObject({
      verdict: "invariant",
      invariant: "rule",
    });
    expect(await race({ users: {} }, signUp(false, unsteady), { rule: once })).toMatchObject({ hit: undefined, trials: 8 });
  });

  it("a rate of all trials is measured", async () => {
    const measured = await race({ users: {} }, signUp(true, true), { rule: once, request: { mode: "measure" } });
    expect(measured).toMatchObject({ trials: 8, dismissed: undefined });
    // Half of the trials start their calls at different times, so they may miss the gap on a busy machine.
    expect(measured.hits).toBeGreaterThanOrEqual(4);
  });

  it("hide no state that is that of no order, and are no race by themselves", async () => {
    expect((await race({ users: {} }, signUp(true))).hit).toMatchObject({ verdict: "state" });
    expect(await race({ users: {} }, signUp(false))).toMatchObject({ hit: undefined, dismissed: undefined, trials: 8 });
  });

  it("are no race where two calls make two", async () => {
    const made = (store: MemoryAdapter<{ docs: Record<string, { by: string; keys: string }> }>): Handler => {
      return async (request) => {
        const id = drawn();
        await sleep(randomInt(3));
        store.state.docs[id] = { by: new URL(request.url).pathname, keys: JSON.stringify({ deep: { [id]: [id] } }) };
        return Response.json({ id, data: { acl: { [id]: { self: `/docs/${id}` } } } }, { status: 201 });
      };
    };
    const answers = [await race({ docs: {} }, made), await race({ docs: {} }, made, { request: { sides: [0, 1] } })];
    for (const answer of answers) expect(answer).toMatchObject({ hit: undefined, dismissed: undefined, trials: 8 });
  });
});

describe("a control arm", () => {
  it("whose calls overlap because the machine was busy is repeated", async () => {
    let running = 0;
    let isRaced = false;
    let lone = 0;
    const count = (store: MemoryAdapter<{ n: number }>): Handler => {
      return async () => {
        const { n } = store.state;
        running++;
        await new Promise(setImmediate);
        isRaced ||= running > 1;
        // The last call of the first trial is alone at its end. Then the order of the calls is executed twice, and then the control arm.
        if (isRaced && running === 1 && ++lone === 8) for (const until = performance.now() + 400; performance.now() < until;);
        store.state.n = n + 1;
        running--;
        return Response.json({});
      };
    };
    expect(await race({ n: 0 }, count, { request: { sides: [0, 0, 0] } })).toMatchObject({ hit: { verdict: "state" }, trials: 1 });
    expect(lone).toBeGreaterThan(8);
  });
});

describe("durations in answers", () => {
  interface Log {
    calls: number;
    busy: number;
  }
  const durations: Readonly<Record<string, (tookMs: number) => object>> = {
    took: (tookMs) => ({ took: tookMs }),
    "a text": (tookMs) => ({ meta: { elapsed: `${tookMs}ms` } }),
    seconds: (tookMs) => ({ list: [{ duration: `${tookMs / 1000} s` }] }),
  };
  /** Calls wait for each other, and say how long they took in steps of 10 ms: one by itself always says the same. */
  const serial = (told: (tookMs: number) => object) => {
    let last: Promise<unknown> = Promise.resolve();
    return (store: MemoryAdapter<Log>): Handler =>
      async () => {
        const begun = performance.now();
        const work = last.then(() => sleep(12));
        last = work;
        await work;
        const tookMs = Math.floor((performance.now() - begun) / 10) * 10;
        store.state.calls++;
        return Response.json(told(Math.max(tookMs, 10)));
      };
  };

  it.each(some(Object.keys(durations), 1))("that are longer when calls meet are no race: %s", async (kind) => {
    const answer = await race({ calls: 0, busy: 0 }, serial(durations[kind]!), { request: { sides: [0, 1] } });
    expect(answer).toMatchObject({ hit: undefined, dismissed: undefined, trials: 8 });
  });

  it("nor are those that are kept in the state", async () => {
    const kept = (store: MemoryAdapter<{ log: { by: string; took_ms: number }[] }>): Handler => {
      let last: Promise<unknown> = Promise.resolve();
      return async (request) => {
        const begun = performance.now();
        const work = last.then(() => sleep(12));
        last = work;
        await work;
        const by = new URL(request.url).pathname;
        store.state.log.push({ by, took_ms: Math.max(Math.floor((performance.now() - begun) / 10) * 10, 10) });
        store.state.log.sort((one, other) => (one.by < other.by ? -1 : 1));
        return Response.json({});
      };
    };
    const answer = await race({ log: [] }, kept, { request: { sides: [0, 1] } });
    expect(answer).toMatchObject({ hit: undefined, dismissed: undefined, trials: 8 });
  });

  it("a sum that is seen in the middle of another call is one", async () => {
    const accounts = (store: MemoryAdapter<{ a: number; b: number }>): Handler => {
      return async (request) => {
        const isMove = new URL(request.url).pathname === "/a";
        if (!isMove) await sleep(3);
        const total = store.state.a + store.state.b;
        if (!isMove) return Response.json({ total });
        store.state.a -= 1;
        await sleep(6);
        store.state.b += 1;
        return Response.json({});
      };
    };
    const answer = await race({ a: 3, b: 2 }, accounts, { request: { sides: [0, 1] } });
    expect(answer.hit).toMatchObject({ verdict: "responses" });
  });
});

describe("a DELETE that is answered alike each time it meets another one", () => {
  it("is dismissed, with what was seen", async () => {
    const remove = (store: MemoryAdapter<{ items: string[] }>): Handler => {
      return async () => {
        const isThere = store.state.items.length > 0;
        await sleep(1);
        store.state.items.length = 0;
        return new Response(null, { status: isThere ? 204 : 404 });
      };
    };
    const answer = await race({ items: ["x"] }, remove, { method: "DELETE" });
    expect(answer).toMatchObject({ hit: undefined, dismissed: "idempotent", dismissedHit: { verdict: "responses" } });
    expect(answer.dismissedHit!.observed.calls.map(({ status }) => status)).toEqual([204, 204]);
    expect((await race({ items: ["x"] }, remove)).hit).toMatchObject({ verdict: "responses" });
  });
});

describe("times", () => {
  interface Lease {
    until: number | string;
    seen: number;
  }
  const HOUR = 3_600_000;
  const DAY = 24 * HOUR;
  const ms = (until: number | string): number => (typeof until === "number" ? until : Date.parse(until));
  /** Extends a lease from its end, or from now if it is over. `gap`: reads the end, lets others go first, and writes. `jitterMs`: adds a random time. */
  const extend =
    (byMs: number, { gap = false, isText = false, jitterMs = 0 } = {}) =>
    (store: MemoryAdapter<Lease>): Handler =>
    async () => {
      const { until } = store.state;
      if (gap) await sleep(2);
      const from = Math.max(gap ? ms(until) : ms(store.state.until), Date.now());
      const next = from + byMs + randomInt(jitterMs + 1);
      store.state.until = isText ? new Date(next).toISOString() : next;
      store.state.seen = Math.floor(Date.now() / 1000);
      return Response.json({ until: store.state.until });
    };
  const lease = (isText = false): Lease => ({ until: isText ? "2020-01-01T00:00:00.000Z" : 0, seen: 0 });
  // Near the clock of the run, times are recognised by their value, and else by repeating the calls.
  const now = Date.now();
  it.each([
    ["1 h", HOUR, now, false],
    ["1 h", HOUR, now - 3 * DAY, true],
    ["30 d", 30 * DAY, now, true],
    ["30 d", 30 * DAY, now, false],
  ])("lose no extension of a lease unseen (%s)", async (shown, byMs, clockMs, isText) => {
    const given = { clockMs, request: { mode: "measure" } as const };
    const answer = await race(lease(isText), extend(byMs, { gap: true, isText }), given);
    expect(answer.hit).toMatchObject({ verdict: "state", message: expect.stringContaining(`systems.db.until is ${shown} earlier`) });
    const clean = await race(lease(isText), extend(byMs, { isText }), given);
    expect(clean).toMatchObject({ hit: undefined, dismissed: undefined, trials: 8 });
  });

  it("that callers give are compared exactly, also if they lie one unit apart", async () => {
    interface Calendar {
      event: string;
      calendar: string;
    }
    /** `a` and `b` move an event to one of two days. `gap`: lets others go between the two writes. */
    const move =
      (unit: number, gap: boolean) =>
      (store: MemoryAdapter<Calendar>): Handler =>
      async (request) => {
        const at = Math.ceil((now + 30 * DAY) / unit) * unit + (request.url.endsWith("/b") ? unit : 0);
        const text = new Date(at).toISOString().slice(0, unit === DAY ? 10 : 24);
        store.state.event = text;
        if (gap) await sleep(request.url.endsWith("/b") ? 1 : 20);
        store.state.calendar = text;
        return Response.json({});
      };
    const given = { clockMs: now, request: { sides: [0, 1], mode: "measure" } } as const;
    for (const unit of [DAY, HOUR]) {
      expect((await race({ event: "", calendar: "" }, move(unit, true), given)).hit).toMatchObject({ verdict: "state" });
      expect(await race({ event: "", calendar: "" }, move(unit, false), given)).toMatchObject({ hit: undefined, dismissed: undefined });
    }
  });

  it("that differ by chance are no race, and hide none", async () => {
    const clockMs = Date.now();
    const answer = await race(lease(), extend(HOUR, { jitterMs: 10 * 60_000 }), { clockMs });
    expect(answer).toMatchObject({ hit: undefined, dismissed: undefined, trials: 8 });
    const counting = (store: MemoryAdapter<{ at: number; n: number }>): Handler => {
      return async () => {
        const { n } = store.state;
        await sleep(2);
        store.state = { at: Date.now() + randomInt(DAY), n: n + 1 };
        return Response.json({});
      };
    };
    expect((await race({ at: 0, n: 0 }, counting, { clockMs })).hit).toMatchObject({ verdict: "state" });
  });
});
