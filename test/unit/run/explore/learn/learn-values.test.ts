import { createHash, randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { fixedCapacity } from "../../../../../src/engine/lane-pool.ts";
import { MemoryAdapter } from "../../../../../src/adapters/memory/index.ts";
import type { LaneReport } from "../../../../../src/messages/lane-messages.ts";
import { Action } from "../../../../../src/model/declare/action.ts";
import type { KeptCounters } from "../../../../../src/model/stores/store-adapter.ts";
import { SeqqaError } from "../../../../../src/model/errors.ts";
import { AgentDefinition } from "../../../../../src/model/declare/agent.ts";
import { ApiResponse } from "../../../../../src/model/http/response.ts";
import { World } from "../../../../../src/model/declare/world.ts";
import { calibrating } from "../../../../../src/run/explore/at-root.ts";
import { learnFrom, learnValues, type LearningLanes } from "../../../../../src/run/explore/learn/learn-values.ts";
import { droppedFields, unverifiedFields } from "../../../../../src/run/results/left-out-fields.ts";
import { reductionsOf } from "../../../../../src/run/results/reductions.ts";
import { lessonNote } from "../../../../../src/run/explore/learn/lesson-note.ts";
import {
  contentOf,
  fieldOf,
  FULL_ORDER,
  loadHasher,
  NEXT_SECOND,
  rowsEntry,
  NOTHING_KNOWN,
  ROOT_TIMES,
  type Knowledge,
} from "../../../../../src/state/index.ts";
import { placeText } from "../../../../../src/state/values/places.ts";
import { some } from "../../../../sizes.ts";
import { TestLanePool } from "../../../../support/test-lane-pool.ts";
import { leapsInTime } from "../../../../support/leaping-clock.ts";
import { atEnd } from "../../../../support/at-end.ts";

beforeAll(loadHasher);
leapsInTime();

interface Shop {
  readonly user?: string;
  readonly order?: string;
  readonly invoice?: string;
}

type Change = (shop: Shop) => Shop | undefined;

/** Fields of a shop in memory that are found to be generated; `undefined` from a change is a refusal. */
async function generatedIn(changes: Readonly<Record<string, Change>>): Promise<{ fields: readonly string[]; calls: readonly string[] }> {
  const { divergences, ...found } = await learnedIn(changes);
  expect(divergences).toEqual([]);
  return found;
}

async function startedWith(changes: Readonly<Record<string, Change>>, keptCounters?: KeptCounters) {
  const calls: string[] = [];
  const definition = new AgentDefinition<object, MemoryAdapter<Shop>>({
    world: () => {
      const store = Object.assign(new MemoryAdapter<Shop>({ state: {} }), { keptCounters });
      return new World<object, MemoryAdapter<Shop>>({ api: store, systems: { store }, context: {} });
    },
    invariants: [],
    actions: Object.entries(changes).map(
      ([name, change]) =>
        new Action<object, MemoryAdapter<Shop>>({
          name,
          run: async (api) => {
            calls.push(name);
            const next = change(api.state);
            if (next === undefined) return ApiResponse.of(409, {});
            api.state = next;
            return ApiResponse.of(200, {});
          },
        }),
    ),
  });
  const lanePool = new TestLanePool({ definition: definition as unknown as AgentDefinition<never, never>, lanes: 1, delays: false });
  atEnd(() => lanePool.close());
  return { lanePool, calls, reports: await lanePool.start() };
}

async function learnedIn(changes: Readonly<Record<string, Change>>, keptCounters?: KeptCounters) {
  const { lanePool, calls, reports } = await startedWith(changes, keptCounters);
  const learned = await learnValues(lanePool, { reports, knowledge: NOTHING_KNOWN }, { idleMs: 0, startsTargets: false });
  return { fields: learned.knowledge.generated.map(({ place }) => fieldOf(place)).toSorted(), calls, divergences: learned.divergences };
}

const field = (name: keyof Shop): string => `systems.store.${name}`;
const logIn: Change = () => ({ user: randomUUID() });
const logOut: Change = ({ user }) => (user === undefined ? undefined : {});
const order: Change = (shop) => (shop.user === undefined ? undefined : { ...shop, order: randomUUID() });
const invoice: Change = (shop) => (shop.order === undefined ? undefined : { ...shop, invoice: randomUUID() });

describe("a choice by the number of a counter that no checkpoint restores", () => {
  const agents = ["ann", "bob", "cho"];
  const learnedWith = async (restore: (next: number) => number) => {
    let next = 0;
    return learnedIn(
      { log_in: () => ({ user: agents[next++ % 3]! }) },
      { tables: ["tickets"], remedy: "`checkpoint: copy`", restore: async () => ((next = restore(next)), true) },
    );
  };

  it("is not blamed on the memory of the target", async () => {
    const { divergences } = await learnedWith(() => 0);
    expect(divergences).toMatchObject([
      {
        message: expect.stringMatching(/uses numbers of AUTO_INCREMENT counters .* \(store\.tickets\)$/) as string,
        hint: expect.stringMatching(/set `checkpoint: copy` under systems\.store\.$/) as string,
      },
    ]);
  });

  it("is not named if other data makes the choice", async () => {
    const { divergences } = await learnedWith((next) => next);
    expect(JSON.stringify(divergences)).not.toContain("uses numbers of AUTO_INCREMENT counters");
  });
});

describe("a number that differs in one of several executions", () => {
  const learnedWith = async (slow: string) => {
    let takes = 0;
    const take: Change = (shop) => {
      if (shop.order === undefined) return undefined;
      const isSlow = Date.now() - Date.parse(shop.order) >= 150;
      return { ...shop, user: ++takes === 2 ? "1.75" : isSlow ? slow : "1.5" };
    };
    const { lanePool, reports } = await startedWith({ open: () => ({ order: new Date().toISOString() }), take });
    return learnValues(lanePool, { reports, knowledge: NOTHING_KNOWN }, { idleMs: 0, startsTargets: true });
  };

  it("is left out of the states if it depends on the time between two calls", async () => {
    const { knowledge, divergences } = await learnedWith("1.25");
    expect(knowledge.dropped).toMatchObject([{ field: "systems.store.user" }]);
    expect(divergences).toEqual([]);
  });

  it("is reported as a difference of unknown cause otherwise", async () => {
    const { knowledge, divergences } = await learnedWith("1.5");
    expect(knowledge.dropped).toEqual([]);
    expect(divergences).toMatchObject([{ message: "The same calls gave a different result in one of several executions" }]);
  });
});

it("differences are reported without further experiments once the time for these is over", async () => {
  let takes = 0;
  const { lanePool, reports } = await startedWith({ take: (shop) => ({ ...shop, user: String(["1.5", "1.75", "1.25"][takes++ % 3]) }) });
  let rebuilds = 0;
  const lanes: LearningLanes = {
    calibrate: (walk) => lanePool.calibrate(walk),
    learn: (knowledge) => lanePool.learn(knowledge),
    rebuild: (lane) => (rebuilds++, lanePool.rebuild(lane)),
    isOver: () => true,
  };
  const { divergences } = await learnValues(lanes, { reports, knowledge: NOTHING_KNOWN }, { idleMs: 0, startsTargets: true });
  expect(divergences).toMatchObject([{ message: "The same calls gave a different result in one of several executions" }]);
  expect(rebuilds).toBe(0);
});

describe("a value of the target's process", () => {
  /** Learns from a divergence after `lock`. `held` returns the value that `lock` stores; `process` counts the processes. */
  const learnedWith = async (held: (process: number, execution: number) => string) => {
    let processes = 4120;
    const definition = new AgentDefinition<object, MemoryAdapter<Shop>>({
      world: () => {
        const store = Object.assign(new MemoryAdapter<Shop>({ state: {} }), { process: ++processes, execution: 0 });
        return new World<object, MemoryAdapter<Shop>>({ api: store, systems: { store }, context: {} });
      },
      invariants: [],
      actions: [
        new Action<object, MemoryAdapter<Shop>>({
          name: "lock",
          run: async (api) => {
            const own = api as MemoryAdapter<Shop> & { readonly process: number; execution: number };
            api.state = { order: "1", user: held(own.process, ++own.execution) };
            return ApiResponse.of(200, {});
          },
        }),
      ],
    });
    const lanePool = new TestLanePool({ definition: definition as unknown as AgentDefinition<never, never>, lanes: 1, delays: false });
    atEnd(() => lanePool.close());
    const before = { reports: await lanePool.start(), knowledge: NOTHING_KNOWN };
    const found = { kind: "cross_check", path: [], calls: [0], message: "", differences: [] } as const;
    return learnFrom(lanePool, before, found, { idleMs: 0, startsTargets: true });
  };

  it("is left out of the states if it is the same in one process and another in each other process", async () => {
    const { knowledge, isExplained, divergences } = await learnedWith((process) => `host:${process}`);
    expect({ isExplained, divergences }).toEqual({ isExplained: true, divergences: [] });
    expect(knowledge.dropped).toMatchObject([{ field: "systems.store.user", isOfProcess: true }]);
    const [sentence] = unverifiedFields(knowledge);
    expect(sentence).toMatch(/^systems\.store\.user is "host:41\d\d" in one process of the target and "host:41\d\d" in another: /);
    expect(sentence).toContain('Otherwise, write ignore: ["systems.store.user"] of the World.');
    expect(droppedFields(knowledge)).toMatchObject([{ text: "systems.store.user (differs between processes of the target)" }]);
  });

  it.each([
    ["the same in new processes", (process: number) => (process === 4121 ? "stale" : "fresh")],
    ["one of two values", (process: number) => ["even", "odd"][process % 2]!],
  ])("is not assumed if the value is %s", async (_what, held) => {
    const { knowledge, isExplained } = await learnedWith(held);
    expect({ dropped: knowledge.dropped, isExplained }).toEqual({ dropped: [], isExplained: false });
  });
});

describe("a path that is recorded", () => {
  it("begins with the counters of the root state", async () => {
    let [next, isFree] = [1, true];
    const keptCounters: KeptCounters = {
      tables: ["receipts"],
      remedy: "`checkpoint: copy`",
      restore: async () => isFree && ((next = 1), true),
    };
    const { lanePool } = await startedWith({ log_in: () => ({ user: `receipt ${next++}` }) }, keptCounters);
    const ends = [await lanePool.record(0, [0]), await lanePool.record(0, [0])].map(({ lines }) => lines);
    expect(ends[0]).toEqual([expect.stringContaining("receipt 1")]);
    expect(ends[1]).toEqual(ends[0]);
    isFree = false;
    expect(await lanePool.record(0, [0])).toMatchObject({ countsOn: true });
  });
});

describe("before the search", () => {
  const setUpWith = async (draw: () => unknown) => {
    const definition = new AgentDefinition<Record<string, unknown>, object>({
      world: () => new World<Record<string, unknown>, object>({ api: {}, reset: () => undefined, context: {} }),
      setup: ({ context }) => {
        context.set("shops", [
          { id: draw(), name: "a" },
          { id: draw(), name: "b" },
        ]);
      },
      invariants: [],
      actions: [new Action<Record<string, unknown>, object>({ name: "look", run: async () => ApiResponse.of(200, {}) })],
    });
    const lanePool = new TestLanePool({ definition: definition as unknown as AgentDefinition<never, never>, lanes: 1, delays: false });
    atEnd(() => lanePool.close());
    const before = { reports: await lanePool.start(), knowledge: NOTHING_KNOWN };
    return learnValues(lanePool, before, { idleMs: 0, startsTargets: false });
  };

  const ids = [
    ["of eight hexadecimal digits", () => randomUUID().slice(0, 8)],
    ["of ten letters and digits", () => randomUUID().replaceAll("-", "x").slice(-10)],
  ] as const;
  it.each(some(ids, 1))("a setup that runs again after each reset may make other ids: %s", async (_what, draw) => {
    const { knowledge, divergences } = await setUpWith(draw);
    expect(knowledge.generated.map(({ place }) => fieldOf(place))).toEqual(["context.shops[].id"]);
    expect(divergences).toEqual([]);
  });

  it("a setup that chooses a status at random is refused", async () => {
    let count = 0;
    await expect(setUpWith(() => ["paid", "open", "sent"][Math.trunc(count++ / 2) % 3])).rejects.toMatchObject({ code: "NOT_PUT_BACK" });
  });

  it("values are found that only calls generate which an earlier action of the walk makes impossible", async () => {
    const { fields } = await generatedIn({ log_in: logIn, log_out: logOut, order, invoice });
    expect(fields).toEqual(["invoice", "order", "user"].map((name) => field(name as keyof Shop)));
  });

  it.each([
    ["the third", ["s%3Aq1kB.x7", "s%3Am9zA.y4", "s%3Ah3%2Fd8.w2"]],
    ["the first", ["s%3Ah3%2Fd8.w2", "s%3Aq1kB.x7", "s%3Am9zA.y4"]],
  ])("a signed cookie is a generated value even if only %s has separators by chance", async (_which, cookies) => {
    let count = 0;
    const { fields } = await generatedIn({ log_in: () => ({ user: `${cookies[count % 3]}${count++}` }) });
    expect(fields).toEqual([field("user")]);
  });

  it("a hash of the time in whole seconds is a generated value, although executions within one second give the same", async () => {
    const second = (): string =>
      createHash("sha256")
        .update(String(Math.floor(Date.now() / 1000)))
        .digest("hex");
    const { fields } = await generatedIn({ log_in: () => ({ user: second() }) });
    expect(fields).toEqual([field("user")]);
  });

  it("a text of several that is chosen at random is no generated value, however the seconds change", async () => {
    const chosen = ["b1f0c2d4e6a8907153", "c9d8e7f6a5b4032211", "0a1b2c3d4e5f667788"];
    let count = 0;
    expect((await learnedIn({ log_in: () => ({ user: chosen[count++ % 3]! }) })).fields).toEqual([]);
  });

  it("one walk after the other is made for them, as long as each gets further", async () => {
    const cancel: Change = (shop) => (shop.order === undefined ? undefined : {});
    const { fields } = await generatedIn({ log_in: logIn, log_out: logOut, order, cancel, invoice });
    expect(fields).toEqual(["invoice", "order", "user"].map((name) => field(name as keyof Shop)));
  });

  it("actions that never work cost two more walks", async () => {
    const { fields, calls } = await generatedIn({ log_in: logIn, never: () => undefined });
    expect(fields).toEqual([field("user")]);
    expect(calls.length).toBeLessThan(60);
  });
});

describe("a result that was seen once", () => {
  const oddAt = (execution: number, change: (isOdd: boolean) => Shop | undefined): Change => {
    let executions = 0;
    return () => change(++executions === execution);
  };

  it.each(some([3, 2, 4], 1))("is reported, although generated values are learned in the same round (execution %i)", async (execution) => {
    const status = oddAt(execution, (isOdd) => ({ user: randomUUID(), order: isOdd ? "odd" : "new" }));
    const { divergences } = await learnedIn({ order: status });
    expect(divergences.map(({ differences }) => differences)).toEqual([
      [expect.stringMatching(/^systems\.store\.order: (?:new the first time, odd|odd the first time, new) the second time$/)],
    ]);
    const answer = oddAt(execution, (isOdd) => (isOdd ? undefined : { user: randomUUID() }));
    const { divergences: answered } = await learnedIn({ order: answer });
    expect(answered.map(({ differences }) => differences)).toEqual([
      ["the target answered order with 200 the first time, but with 409 when seqqa repeated the path"],
    ]);
  });
});

describe("a divergence of calls that share a second", () => {
  const second = (): number => Math.floor(Date.now() / 1000);

  it.each<readonly [string, (at: number) => boolean, readonly string[]]>([
    ["if the target compares the times of both calls in whole seconds", (at: number) => at === second(), [NEXT_SECOND]],
    ["not if it does not", () => false, []],
  ])("makes steps wait for the next second, %s", async (_case, isRefused, ordered) => {
    const definition = new AgentDefinition<object, MemoryAdapter<{ at?: number; used?: true }>>({
      world: () => {
        const store = new MemoryAdapter<{ at?: number; used?: true }>({ state: {} });
        return new World<object, MemoryAdapter<{ at?: number; used?: true }>>({ api: store, systems: { store }, context: {} });
      },
      invariants: [],
      actions: [
        new Action({
          name: "log_in",
          run: async (api) => {
            api.state = { at: second() };
            return ApiResponse.of(200, {});
          },
        }),
        new Action({
          name: "use",
          run: async (api) => {
            const { at } = api.state;
            if (at === undefined || isRefused(at)) return ApiResponse.of(409, {});
            api.state = { at, used: true };
            return ApiResponse.of(200, {});
          },
        }),
      ],
    });
    const lanePool = new TestLanePool({ definition: definition as unknown as AgentDefinition<never, never>, lanes: 1, delays: false });
    atEnd(() => lanePool.close());
    const experiments = { idleMs: 0, startsTargets: false, path: [0] };
    const before = await learnValues(lanePool, { reports: await lanePool.start(), knowledge: NOTHING_KNOWN }, experiments);
    expect(before.knowledge.times).toHaveLength(1);
    const divergence = { kind: "cross_check", path: [0], calls: [0, 1], message: "", differences: [] } as const;
    const learned = await learnFrom(lanePool, before, divergence, experiments);
    expect(learned.knowledge.ordered).toEqual(ordered);
    expect(learned.isExplained).toBe(ordered.length > 0);
  });
});

describe("an audit of two paths that wrote the time of a token and another one in different orders", () => {
  const second = (): number => Math.floor(Date.now() / 1000);
  const tokenOf = (iat: number): string =>
    [{ alg: "none" }, { sub: "1", iat }, "signature"].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");
  const iatOf = (token: string): number => (JSON.parse(Buffer.from(token.split(".")[1]!, "base64url").toString()) as { iat: number }).iat;
  interface Account {
    readonly token?: string;
    readonly changedAt?: number;
    readonly used?: true;
  }

  const [LOG_IN, CHANGE, USE] = [0, 1, 2];
  const calls: Readonly<Record<string, (account: Account, refuses: boolean) => Account | undefined>> = {
    log_in: (account) => ({ ...account, token: tokenOf(second()) }),
    change: (account) => ({ ...account, changedAt: second() }),
    use: ({ token, changedAt = 0, ...rest }, refuses) =>
      token === undefined || (refuses && iatOf(token) < changedAt) ? undefined : { ...rest, token, changedAt, used: true },
  };

  const cases = [
    ["is a divergence, if only separate seconds show that the order matters", true],
    ["is none, if the order does not matter", false],
  ] as const;
  it.each(some(cases, 1))("with one second between the steps %s", async (_case, refuses) => {
    const definition = new AgentDefinition<object, MemoryAdapter<Account>>({
      world: () => {
        const store = new MemoryAdapter<Account>({ state: {} });
        return new World<object, MemoryAdapter<Account>>({ api: store, systems: { store }, context: {} });
      },
      invariants: [],
      actions: Object.entries(calls).map(
        ([name, call]) =>
          new Action<object, MemoryAdapter<Account>>({
            name,
            run: async (api) => {
              const next = call(api.state, refuses);
              api.state = next ?? api.state;
              return ApiResponse.of(next === undefined ? 401 : 200, {});
            },
          }),
      ),
    });
    const lanePool = new TestLanePool({ definition: definition as unknown as AgentDefinition<never, never>, lanes: 1, delays: false });
    atEnd(() => lanePool.close());
    const experiments = { idleMs: 0, startsTargets: false, path: [LOG_IN, CHANGE] };
    const learned = await learnValues(lanePool, { reports: await lanePool.start(), knowledge: NOTHING_KNOWN }, experiments);
    expect(learned.knowledge.times.map(({ place }) => fieldOf(place))).toEqual([
      field("changedAt" as keyof Shop),
      expect.stringContaining(".iat"),
    ]);
    await untilSecondBegins();
    const unit = { path: [CHANGE, LOG_IN], from: 0, to: 3, lo: 0, hi: 0, uncertain: false, snapshot: undefined };
    const check = { expected: undefined, along: { path: [LOG_IN, CHANGE] }, merge: true, reduced: true, apart: true, edge: 0 };
    const { divergences } = await lanePool.expand(0, { units: [{ ...unit, check }], direct: true });
    const differs = {
      kind: "merge",
      seconds: true,
      calls: [CHANGE, LOG_IN, USE],
      differences: ["use: the target answered 401 the first time, but 200 now"],
    };
    expect(divergences).toHaveLength(refuses ? 1 : 0);
    if (refuses) expect(divergences).toMatchObject([differs]);
    for (const divergence of divergences) {
      const again = await learnFrom(lanePool, learned, divergence, experiments);
      expect([again.isExplained, again.knowledge.ordered]).toEqual([true, [NEXT_SECOND]]);
    }
  });

  /** Waits until a second begins, so that calls without a wait share it. */
  const untilSecondBegins = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 1_000 - (Date.now() % 1_000)));
});

describe("a divergence of merged states", () => {
  it("is tried to be explained by one order after the other, and by none if the last one does not explain it either", async () => {
    const definition = new AgentDefinition<object, MemoryAdapter<{ token?: string }>>({
      world: () => {
        const store = new MemoryAdapter<{ token?: string }>({ state: {} });
        return new World<object, MemoryAdapter<{ token?: string }>>({ api: store, systems: { store }, context: {} });
      },
      invariants: [],
      actions: [
        new Action({
          name: "log_in",
          run: async (api) => {
            api.state = { token: randomUUID() };
            return ApiResponse.of(200, {});
          },
        }),
      ],
    });
    const lanePool = new TestLanePool({ definition: definition as unknown as AgentDefinition<never, never>, lanes: 1, delays: false });
    atEnd(() => lanePool.close());
    const experiments = { idleMs: 0, startsTargets: false, path: [0] };
    const first = await learnValues(lanePool, { reports: await lanePool.start(), knowledge: NOTHING_KNOWN }, experiments);
    let known: Parameters<typeof learnFrom>[1] = { ...first, knowledge: { ...first.knowledge, ordered: [NEXT_SECOND] } };
    const merge = { kind: "merge", reduced: true, path: [0], calls: [0], message: "", differences: [] } as const;
    const token = placeText(["systems", "store", "token"]);
    const orders: (readonly [readonly string[], boolean])[] = [];
    // The last merge is one of states that are equal in all orders.
    for (let lesson = 0; lesson < 4; lesson++) {
      const learned = await learnFrom(lanePool, known, { ...merge, reduced: lesson < 3 }, experiments);
      orders.push([learned.knowledge.ordered, learned.isExplained]);
      known = learned;
    }
    const all = [token, ROOT_TIMES, FULL_ORDER, contentOf(token)].map((_, at, some) => [NEXT_SECOND, ...some.slice(0, at + 1)]);
    expect(orders).toEqual([
      [all[0], true],
      [all[2], true],
      [all[3], true],
      [[NEXT_SECOND], false],
    ]);
  });

  it("keeps the orders that explained other divergences if none explains this one, and the note names the dropped ones", async () => {
    const lanePool = sameLanes();
    const place = (name: string) => ({ place: placeText(["context", name]), after: "", domain: undefined });
    const [proven, vain] = [place("proven"), place("vain")];
    const all = [proven.place, vain.place, ROOT_TIMES, FULL_ORDER, contentOf(proven.place), contentOf(vain.place)];
    const knowledge = { ...NOTHING_KNOWN, generated: [proven, vain], ordered: all };
    const merge = { kind: "merge", path: [0], calls: [0], message: "", differences: [] } as const;
    const experiments = { idleMs: 0, startsTargets: false, proven: [proven.place] };
    const learned = await learnFrom(lanePool, { reports: [], knowledge }, merge, experiments);
    expect([learned.isExplained, learned.knowledge.ordered]).toEqual([false, [proven.place]]);
    const note = lessonNote({ committer: { steps: 3 } as never }, learned, knowledge);
    expect(note).toContain("so states no longer differ by it: context.proven, context.vain, times of the root state.");
  });

  it("first orders the rows of the tables whose rows had another order in the two states", async () => {
    const rows = rowsEntry("db", "waiting");
    const merge = { kind: "merge", reduced: true, path: [0], calls: [0], message: "", differences: [], rowOrders: [rows] } as const;
    const before = {
      reports: [{ leftOut: [{ field: "rows of other", entry: rowsEntry("db", "other") }] } as never],
      knowledge: { ...NOTHING_KNOWN, generated: [{ place: placeText(["context", "code"]), after: "", domain: undefined }] },
    };
    const learned = await learnFrom(sameLanes(), before, merge, { idleMs: 0, startsTargets: false });
    expect([learned.isExplained, learned.knowledge.ordered]).toEqual([true, [rows]]);
    expect(lessonNote({ committer: { steps: 3 } as never }, learned, before.knowledge)).toContain(
      "States now also differ by the order of the rows of these tables: db.waiting.",
    );
  });

  it("is explained by no order if the states hide which of their values belong together", async () => {
    const knowledge = { ...NOTHING_KNOWN, generated: [{ place: placeText(["context", "code"]), after: "", domain: undefined }] };
    for (const ordered of [[], ["kept"]]) {
      const merge = { kind: "merge", reduced: true, unlinked: true, path: [0], calls: [0], message: "", differences: [] } as const;
      const before = { reports: [], knowledge: { ...knowledge, ordered } };
      const learned = await learnFrom(sameLanes(), before, merge, { idleMs: 0, startsTargets: false });
      expect([learned.isExplained, learned.knowledge.ordered]).toEqual([false, ordered]);
    }
  });

  /** Lanes whose experiments find nothing. */
  const sameLanes = (): Parameters<typeof learnFrom>[0] => ({
    calibrate: () =>
      Promise.resolve({ learned: NOTHING_KNOWN, suspects: [], unlike: [], late: [], lasting: [], states: [], missed: [] } as never),
    learn: () => Promise.resolve([]),
    rebuild: () => Promise.reject(new Error("not needed")),
  });
});

describe("the assumption that a merge makes", () => {
  const place = (name: string) => ({ place: placeText(["context", name]), after: "", domain: undefined });

  it.each([
    [0, "the order of context.code, context.order"],
    [2, "the order and connection of context.code, context.order"],
    [5, "the connection of context.code, context.order"],
  ])("names the connection of values if %i of 5 merged states hide it", (unlinkedReductions, reason) => {
    const explorer = { committer: { reductions: 5, unlinkedReductions }, audited: 3, divergences: { all: [] } };
    const knowledge = { ...NOTHING_KNOWN, generated: [place("code"), place("order")] };
    expect(reductionsOf(explorer as never, knowledge)).toEqual([{ reason, merges: 5, audited: 3, refuted: 0 }]);
  });
});

describe("lanes for experiments", () => {
  const found = {} as never;
  const root = { wholeLo: 1, wholeHi: 2, rootLo: 3, rootHi: 4 } as LaneReport;
  const lost = new SeqqaError("STORE_LOST", "The connection was lost.", { exitStatus: 3 });

  /** Two lanes whose experiments fail so many times. */
  function failing(times: number, error: Error, { borrowed = false, other = false } = {}) {
    const done: string[] = [];
    let left = times;
    const calibrate = async () => (done.push("calibrate"), await Promise.resolve(), left-- > 0 ? Promise.reject(error) : found);
    const rebuild = (lane: number) => (done.push(`rebuild ${lane}`), Promise.resolve(other ? { ...root, rootLo: 9 } : root));
    const notes: unknown[] = [];
    const lanePool = { lanes: 2, capacity: fixedCapacity(2), calibrate, rebuild } as never;
    const input = {
      config: { target: borrowed ? undefined : {} } as never,
      signal: undefined,
      onEvent: (event: unknown) => notes.push(event),
    };
    return { done, notes, lanes: calibrating(lanePool, input, { first: root, maxTimeMs: 1e6, endsAt: performance.now() + 1e6 }) };
  }

  it("are built anew, once, when a store is lost, and that is said", async () => {
    const { done, notes, lanes } = failing(1, lost);
    await expect(lanes.calibrate()).resolves.toBe(found);
    expect(done).toEqual(["calibrate", "rebuild 0", "rebuild 1", "calibrate"]);
    expect(notes).toEqual([
      {
        kind: "note",
        message: "seqqa starts all lanes again, because a lane lost a store at the root state: The connection was lost.",
      },
    ]);
    await expect(failing(2, lost).lanes.calibrate()).rejects.toBe(lost);
  });

  it("are ended when their time is over, and this is reported instead of the error of the ended request", async () => {
    const cutOff = new SeqqaError("NO_ANSWER", "POST /reset got no answer within 0 s.");
    let end = (_error: Error): void => undefined;
    const calibrate = () => new Promise<never>((_, reject) => (end = reject));
    const lanePool = {
      lanes: 1,
      capacity: fixedCapacity(1),
      calibrate,
      learn: () => Promise.resolve([root]),
      cut: () => end(cutOff),
    } as never;
    const input = { config: { target: {} } as never, signal: undefined, onEvent: () => undefined };
    const lanes = calibrating(lanePool, input, { first: root, maxTimeMs: 20, endsAt: performance.now() + 10 });
    const learned = await learnValues(lanes, { reports: [root], knowledge: NOTHING_KNOWN }, { idleMs: 0, startsTargets: true });
    expect(learned.divergences).toMatchObject([{ message: expect.stringMatching(/^The time limit ended the experiments/) as string }]);
    expect(learned.knowledge).toEqual(NOTHING_KNOWN);
    // No further experiment begins; the check of late writes after the search says so.
    await expect(lanes.calibrate()).resolves.toMatchObject({ states: [], suspects: [] });
    await expect(lanes.calibrate({ late: { lo: 1, hi: 2 } })).rejects.toThrow("the time limit was reached");
  });

  it("are not where the store is the user's own, and not used where they stand at another root", async () => {
    const { done, lanes } = failing(1, lost, { borrowed: true });
    await expect(lanes.calibrate()).rejects.toBe(lost);
    expect(done).toEqual(["calibrate"]);
    await expect(failing(1, lost, { other: true }).lanes.calibrate()).rejects.toBe(lost);
  });

  it("are not for anything else", async () => {
    const error = new Error("something else");
    const { done, lanes } = failing(1, error);
    await expect(lanes.calibrate()).rejects.toBe(error);
    expect(done).toEqual(["calibrate"]);
  });
});

describe("the note that says that the search starts again", () => {
  const place = (name: string) => placeText(["store", name]);
  const generated = (name: string) => ({ place: place(name), after: "", domain: undefined });
  const note = (before: Partial<Knowledge>, after: Partial<Knowledge>, isExplained = true): string => {
    const learned = { isExplained, divergences: [], knowledge: { ...NOTHING_KNOWN, ...after } };
    return lessonNote({ committer: { steps: 2 } as never }, learned, { ...NOTHING_KNOWN, ...before });
  };

  it("names the values that were found, and no others", () => {
    const known = { generated: [generated("order")] };
    expect(note(known, { generated: [generated("order"), generated("invoice")], background: ["store.seen"] })).toBe(
      "seqqa restarted the search after 2 steps, because states that it considered equal had different outcomes. seqqa now knows that these values differ when calls are repeated: store.invoice, store.seen.",
    );
  });

  it("names the values whose order counts", () => {
    const known = { generated: [generated("order")] };
    expect(note(known, { ...known, ordered: [place("order")] })).toMatch(
      /States now also differ by the order in which these values were generated: store\.order\.$/,
    );
  });

  it("names the fields about which more was found", () => {
    const time = { place: place("due"), after: "", resolutionMs: 1000, base: "step", offsets: [0] } as const;
    const before = { generated: [generated("order")], times: [time] };
    const text = (after: string) => ({ ...generated("order"), after });
    const told = /seqqa now knows more about values that differ when calls are repeated: (.*)\.$/;
    expect(told.exec(note(before, { ...before, times: [{ ...time, offsets: [0, 5000] }] }))?.[1]).toBe("store.due");
    expect(told.exec(note(before, { ...before, generated: [generated("order"), text("no")] }))?.[1]).toBe("store.order");
    expect(told.exec(note(before, { ...before, noisyActions: ["pay"] }))?.[1]).toBe("requests of pay");
  });

  it("says that nothing was found", () => expect(note({}, {}, false)).toContain("From now on, seqqa repeats the calls of a path"));
});
