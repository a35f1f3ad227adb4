import { describe, expect, it } from "vitest";
import { MemoryAdapter } from "../../../../src/adapters/memory/index.ts";
import type { RaceAnswer, RaceRequest } from "../../../../src/messages/race-messages.ts";
import { Action } from "../../../../src/model/declare/action.ts";
import { AgentDefinition } from "../../../../src/model/declare/agent.ts";
import { Invariant } from "../../../../src/model/declare/invariant.ts";
import { ApiResponse } from "../../../../src/model/http/response.ts";
import { World } from "../../../../src/model/declare/world.ts";
import { Prober } from "../../../../src/races/lane/prober.ts";
import type { DeliveriesOfLane } from "../../../../src/races/lane/deliveries-of-lane.ts";
import { PLAIN_WAY, type Trial, type TrialPlan, type Delivery } from "../../../../src/races/lane/deliveries.ts";
import { laneOf } from "../../../support/lane-parts.ts";

interface Post {
  likes: number;
  due?: string;
}

/** What the sending of one trial does beside the calls. */
interface Sending {
  readonly plan: TrialPlan;
  readonly isStaggered: boolean;
  readonly store: MemoryAdapter<Post>;
  /** What came of it by the plain way. */
  trial: Trial | undefined;
}

interface Given {
  /** A like looks, lets others go first, and writes. */
  readonly gap?: boolean;
  /** The date that each like writes. */
  readonly due?: () => string;
  /** Holds after every order of the calls. */
  readonly rule?: (post: Post) => boolean;
  /** What the way of sending does to the target when all calls were answered. */
  readonly beside?: (sending: Sending) => void;
  /** What the way makes of a trial. */
  readonly made?: (sending: Sending) => Trial | undefined;
}

/** Each is followed by trials of the control arm, which wait. */
const TRIALS = 6;

const REQUEST: RaceRequest = { path: [], sides: [0, 0], effort: { first: 2, trials: TRIALS, delivery: "auto", seed: 0 }, mode: "search" };

/** Probes likes of a post that are sent in one way, and tells how they were sent. */
async function probe(given: Given, request: Partial<RaceRequest> = {}) {
  const store = new MemoryAdapter<Post>({ state: { likes: 0 } });
  const like = async (): Promise<ApiResponse> => {
    const { likes } = store.state;
    if (given.gap === true) await Promise.resolve();
    store.state.likes = likes + 1;
    if (given.due !== undefined) store.state.due = given.due();
    return ApiResponse.of(200, {});
  };
  const definition = new AgentDefinition<object, { like: typeof like }>({
    world: new World({ api: { like }, systems: { posts: store } }),
    actions: [new Action({ name: "like", run: (client) => client.like() })],
    invariants: given.rule === undefined ? [] : [new Invariant({ name: "rule", check: () => given.rule!(store.state) })],
  });
  const { runtime } = await laneOf(definition);
  const sendings: Sending[] = [];
  const way: Delivery = {
    ...PLAIN_WAY,
    try: async (calls, plan) => {
      const sending: Sending = { plan, isStaggered: plan.offsets.some((offset) => offset > 0), store, trial: undefined };
      sendings.push(sending);
      // What comes beside the calls is there before anybody looks.
      const together: typeof calls.together = (run, deliver) =>
        calls.together(async (call) => {
          const made = await run(call);
          given.beside?.(sending);
          return made;
        }, deliver);
      sending.trial = await PLAIN_WAY.try({ call: calls.call.bind(calls), together } as unknown as typeof calls, plan);
      return given.made === undefined ? sending.trial : given.made(sending);
    },
  };
  const ways = { gates: () => [], delivered: () => Promise.resolve([way]) } as unknown as DeliveriesOfLane;
  const answer: RaceAnswer = await runtime.lend((ground) => new Prober(ground, { ...REQUEST, ...request }, ways).run());
  return { answer, sendings, staggered: sendings.filter(({ isStaggered }) => isStaggered) };
}

/** A trial in which the last call got no answer. */
const lost = (trial: Trial, isRefused = false): Trial => ({
  ...trial,
  isRefused,
  execution: {
    ...trial.execution,
    calls: trial.execution.calls.map((call, side) => (side === 0 ? call : { ...call!, kind: "lost", status: 0, lost: "unreachable" })),
  },
});

describe("the control arm: what was seen of calls at the same time is looked for in the same calls, one well after the other", () => {
  it("a race is none of what it shows: either call comes first, at least 50 ms before the other, and is over by then", async () => {
    const { answer, sendings, staggered } = await probe({ gap: true });
    expect(answer).toMatchObject({ hits: 1, trials: 1, misses: 0, dismissed: undefined, failure: undefined });
    expect(answer.hit).toMatchObject({ verdict: "state" });
    expect(sendings.map(({ isStaggered, trial }) => [isStaggered, trial!.overlapped])).toEqual([
      [false, true],
      [true, false],
      [true, false],
    ]);
    expect(staggered.map(({ plan }) => plan.offsets.map((offset) => (offset === 0 ? 0 : offset >= 50)))).toEqual([
      [0, true],
      [true, 0],
    ]);
    expect(staggered.map(({ plan }) => [plan.meetAt, plan.reversed])).toEqual([
      [sendings[0]!.plan.meetAt, false],
      [sendings[0]!.plan.meetAt, false],
    ]);
  });

  it("what the way of sending does by itself is no race, however often it is seen", async () => {
    const { answer, staggered } = await probe({ beside: ({ store }) => store.state.likes++ });
    expect(answer).toMatchObject({ hit: undefined, hits: 0, trials: TRIALS, dismissed: "control", failure: undefined });
    expect(answer.dismissedHit).toMatchObject({ verdict: "state", observed: { order: null, calls: [{ status: 200 }, { status: 200 }] } });
    // Each time it was asked, and not a second time once it had been seen.
    expect(staggered).toHaveLength(TRIALS);
  });

  it.each([0, 1])("nor is what shows only where call %i comes first", async (first) => {
    const { answer } = await probe({
      beside: ({ plan, isStaggered, store }) => {
        if (!isStaggered || plan.offsets[first] === 0) store.state.likes++;
      },
    });
    expect(answer).toMatchObject({ hit: undefined, hits: 0, dismissed: "control" });
  });

  it("dismisses a rule that breaks only where it breaks the same one", async () => {
    const rule = ({ likes }: Post): boolean => likes !== 1;
    const other = await probe({ gap: true, rule, beside: ({ isStaggered, store }) => void (isStaggered && store.state.likes++) });
    expect(other.answer).toMatchObject({ hits: 1, dismissed: undefined, hit: { verdict: "invariant", invariant: "rule" } });
    const same = await probe({ gap: true, rule, beside: ({ isStaggered, store }) => void (isStaggered && (store.state.likes = 1)) });
    expect(same.answer).toMatchObject({ hit: undefined, dismissed: "control", dismissedHit: { verdict: "invariant", invariant: "rule" } });
  });

  it("names the reason for the trial that it shows, also if other trials are dismissed for other reasons", async () => {
    // In the first trials, the way of sending makes one like too many. Then it breaks a rule, and then the control arm loses a call.
    const rule = ({ likes }: Post): boolean => likes !== 7;
    const beside = ({ store, isStaggered }: Sending, trials: number): void => {
      if (trials <= 1) store.state.likes++;
      else if (!isStaggered) store.state.likes = 7;
    };
    let trials = 0;
    const counted = (sending: Sending): void => beside(sending, (trials += sending.isStaggered ? 0 : 1));
    const broken = await probe({
      rule,
      beside: counted,
      made: ({ trial, isStaggered }) => (isStaggered && trials > 1 ? lost(trial!) : trial),
    });
    expect(broken.answer).toMatchObject({
      dismissed: undefined,
      dismissedHit: { verdict: "invariant", invariant: "rule" },
      failure: { kind: "unreachable" },
    });
    trials = 0;
    const both = await probe({
      rule: ({ likes }) => likes !== 7,
      beside: ({ store, isStaggered }) => {
        trials += isStaggered ? 0 : 1;
        store.state.likes = trials === 1 ? 5 : 7;
      },
    });
    expect(both.answer).toMatchObject({ hits: 0, dismissed: "control", dismissedHit: { verdict: "state" } });
  });

  it("refutes nothing if its calls overlap each time", async () => {
    const { answer, staggered } = await probe({
      beside: ({ store }) => store.state.likes++,
      made: ({ trial }) => ({ ...trial!, overlapped: true }),
    });
    expect(answer).toMatchObject({ hit: undefined, hits: 0, dismissed: "control_overlaps", dismissedHit: { verdict: "state" } });
    expect(staggered).toHaveLength(4 * TRIALS);
  });

  it("is repeated with twice the delay each time that its calls overlap", async () => {
    const { staggered } = await probe(
      { beside: ({ store }) => store.state.likes++, made: ({ trial }) => ({ ...trial!, overlapped: true }) },
      { effort: { ...REQUEST.effort, first: 1, trials: 1 } },
    );
    const delays = staggered.map(({ plan }) => Math.max(...plan.offsets));
    expect(delays.map((delay) => delay / delays[0]!)).toEqual([1, 2, 4, 8]);
  });

  it.each([
    ["the first trial", { mode: "search" }, 1, 1],
    ["the last trial", { mode: "measure" }, TRIALS, TRIALS],
  ] as const)("refutes nothing if a date goes on after %s", async (_when, request, last, hits) => {
    const [now, dayMs] = [Date.now(), 86_400_000];
    let [days, trials] = [30, 0];
    const due = (): string => new Date(now + days * dayMs).toISOString().slice(0, 10);
    const made = ({ trial, isStaggered }: Sending): Trial | undefined => {
      if (!isStaggered && ++trials === last) days++;
      return trial;
    };
    const { answer } = await probe({ gap: true, due, made }, request);
    expect(answer).toMatchObject({ hits, dismissed: undefined, hit: { verdict: "state" } });
  });

  it("more calls come one after the other, too", async () => {
    const { answer, staggered } = await probe({ gap: true }, { sides: [0, 0, 0] });
    expect(answer.hit).toMatchObject({ verdict: "state" });
    const [forth, back] = staggered.map(({ plan }) => plan.offsets);
    expect(forth).toEqual([0, forth![1]!, 2 * forth![1]!]);
    expect(back).toEqual([forth![1]!, 2 * forth![1]!, 0]);
    for (const { trial } of staggered) expect(trial!.overlapped).toBe(false);
  });

  it("is asked once for a rate", async () => {
    const { answer, staggered } = await probe({ gap: true }, { mode: "measure" });
    expect(answer).toMatchObject({ hits: TRIALS, trials: TRIALS, misses: 0, dismissed: undefined });
    expect(staggered).toHaveLength(2);
  });

  it("says nothing where it could not be made", async () => {
    const { answer, staggered } = await probe({ gap: true, made: ({ trial, isStaggered }) => (isStaggered ? undefined : trial) });
    expect(answer).toMatchObject({ hits: 1, dismissed: undefined });
    expect(staggered).toHaveLength(2);
  });

  it("a call that gets no answer in it leaves nothing to compare, and the lane is given up", async () => {
    const { answer, staggered } = await probe({ gap: true, made: ({ trial, isStaggered }) => (isStaggered ? lost(trial!) : trial) });
    expect(answer).toMatchObject({
      hit: undefined,
      hits: 0,
      dismissed: undefined,
      dismissedHit: { verdict: "state" },
      failure: { kind: "unreachable", message: "like got no answer" },
    });
    expect(staggered).toHaveLength(1);
  });

  it("is followed by the orders of the calls where a rule broke before, and breaks no more", async () => {
    const request = { mode: "measure", isSeen: true, wanted: { verdict: "invariant", invariant: "rule" } } as const;
    // The rule breaks by itself in each tenth check.
    let checks = 0;
    const flaky = await probe({ rule: () => checks++ % 10 !== 9 || checks < 10 }, { ...request, effort: { ...REQUEST.effort, trials: 2 } });
    expect(flaky.answer).toMatchObject({ hit: undefined, dismissed: "noise" });
    let checked = 0;
    const rare = await probe({ rule: () => checked++ >= 0 }, request);
    expect(rare.answer).toMatchObject({ hit: undefined, hits: 0, trials: TRIALS, dismissed: undefined, failure: undefined });
    expect(checked).toBeGreaterThan(20);
    checked = 0;
    await probe({ rule: () => checked++ >= 0 }, { ...request, isSeen: undefined });
    expect(checked).toBeLessThan(20);
    // A rule that an order of the calls breaks now is not broken by a race.
    const always = await probe({ rule: ({ likes }) => likes < 2 }, request);
    expect(always.answer).toMatchObject({ hit: undefined, dismissed: "noise" });
  });

  it("is asked before anything else where a call got no answer: afterwards there is nobody to ask", async () => {
    const request = { mode: "measure", wanted: { verdict: "server_error", invariant: undefined } } as const;
    const silent = await probe({ made: ({ trial, isStaggered }) => (isStaggered ? trial : lost(trial!)) }, request);
    expect(silent.sendings.map(({ isStaggered }) => isStaggered)).toEqual([true, true, false]);
    expect(silent.answer).toMatchObject({ hits: 1, hit: { verdict: "server_error" }, failure: { kind: "unreachable" } });
    const by = await probe({ beside: ({ store }) => store.state.likes++, made: ({ trial }) => trial }, request);
    expect(by.answer).toMatchObject({ hit: undefined, trials: 0, dismissed: "control", failure: undefined });
    expect(by.sendings.map(({ isStaggered }) => isStaggered)).toEqual([true]);
  });
});
