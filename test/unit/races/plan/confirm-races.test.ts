import { afterEach, describe, expect, it, vi } from "vitest";
import type { RaceAnswer, RaceRequest } from "../../../../src/messages/race-messages.ts";
import { confirmRaces, RacesEnd } from "../../../../src/races/index.ts";
import { withOwnData } from "../../../../src/races/own-data.ts";
import { RaceTally } from "../../../../src/races/plan/race-tally.ts";
import type { SeenRace } from "../../../../src/races/plan/probe-races.ts";
import { hitOf, laneThat, NOTHING, seenAt } from "./answers.ts";

afterEach(() => vi.restoreAllMocks());

const isMeasured = ({ mode }: RaceRequest): boolean => mode === "measure";

/** What comes of races where a lane answers so. */
async function confirmed(seen: readonly SeenRace[], answer: (request: RaceRequest) => RaceAnswer, end = new RacesEnd(Infinity, undefined)) {
  const { lanePool, asked } = laneThat(answer);
  const tally = new RaceTally({ races: [], pairs: 0, skipped: {}, cut: new Set(), readOnly: new Set() });
  const races = await confirmRaces(seen, lanePool, tally, end);
  const measured = asked.flatMap((one, at) => (one !== "rebuilt" && isMeasured(one) ? [{ path: one.path, after: asked[at - 1] }] : []));
  const dismissedHits = tally.dismissedHits.map(({ request, hit, reason, count }) => [request.path, hit.verdict, reason, count]);
  return { races, measured, dismissed: tally.coverage().dismissed, dismissedHits };
}

describe("a pair that was seen in several states", () => {
  const PAIR = [0, 1];
  // The first by severity is `state`, in the shortest way; paths cannot be made shorter, for only the measured ones are seen.
  const seen = [seenAt([2, 2, 2], PAIR), seenAt([3], PAIR), seenAt([4, 4], PAIR), seenAt([5, 5, 5, 5], PAIR)];
  const seenBehind =
    (...prefixes: readonly (readonly number[])[]) =>
    (request: RaceRequest): RaceAnswer =>
      isMeasured(request) && prefixes.some((one) => one.join() === request.path.join()) ? hitOf("state") : NOTHING;

  it("is confirmed in the first that shows it, the shortest way first, each on a lane built anew", async () => {
    const { races, measured, dismissed } = await confirmed(seen, seenBehind([4, 4]));
    expect(measured).toEqual([
      { path: [3], after: "rebuilt" },
      { path: [4, 4], after: "rebuilt" },
    ]);
    expect(races.map(({ request, count }) => [request.path, count])).toEqual([[[4, 4], 4]]);
    expect(dismissed).toEqual({});
  });

  it("is given up after three", async () => {
    const { races, measured, dismissed, dismissedHits } = await confirmed(seen, seenBehind([5, 5, 5, 5]));
    expect(dismissedHits).toEqual([[[3], "state", "unconfirmed", 1]]);
    expect(measured.map(({ path }) => path)).toEqual([[3], [4, 4], [2, 2, 2]]);
    expect(races).toEqual([]);
    expect(dismissed).toEqual({ unconfirmed: 1 });
  });

  it("is looked at first where it is worst, whatever the way", async () => {
    const worse = [seenAt([3], PAIR, "responses"), seenAt([2, 2, 2], PAIR, "state")];
    const { races } = await confirmed(worse, (request) => (isMeasured(request) ? hitOf(request.wanted!.verdict) : NOTHING));
    expect(races.map(({ hit, request }) => [hit.verdict, request.path])).toEqual([["state", [2, 2, 2]]]);
  });

  it("is one race, and another pair is another", async () => {
    const { races } = await confirmed([...seen, seenAt([1], [1, 1])], (request) => (isMeasured(request) ? hitOf("state") : NOTHING));
    expect(races.map(({ request, count }) => [request.sides, count])).toEqual([
      [[0, 1], 4],
      [[1, 1], 1],
    ]);
  });
});

describe("a race whose trials cannot be repeated on a rebuilt lane", () => {
  const LOST = { kind: "unreachable", message: "the target ended" } as const;
  it.each([
    ["its path leads to another state", { dismissed: "not_there", trials: 0 }, "not_there"],
    ["one order of its calls fails", { dismissed: "order_fails", trials: 0 }, "order_fails"],
    ["the target serves one connection at a time", { dismissed: "one_connection", trials: 0 }, "one_connection"],
    ["no calls overlap", { trials: 0, misses: 40 }, "no_trial"],
    ["the lane is lost", { failure: LOST, trials: 3 }, "lane_lost"],
    ["all trials refute it", { trials: 20 }, "unconfirmed"],
    ["its control arm shows it, too", { dismissed: "control", trials: 1 }, "unconfirmed"],
    ["its control arm loses a call, too", { dismissed: "control", failure: LOST, trials: 0 }, "unconfirmed"],
  ] as const)("is not refuted: %s", async (_what, answer, reason) => {
    const { races, dismissedHits } = await confirmed([seenAt([3], [0, 0])], () => ({ ...NOTHING, ...answer }));
    expect(races).toEqual([]);
    expect(dismissedHits).toEqual([[[3], "state", reason, 1]]);
  });

  it("names what differs in the other state to which its path leads", async () => {
    const before = { lines: ["context.x = 1"], made: [] };
    const difference = "The two states differ in context.x.";
    const at = { lo: 1, hi: 2 };
    const seen = seenAt([3], [0, 0]);
    const { lanePool, asked } = laneThat((request) =>
      request.at === undefined ? NOTHING : { ...NOTHING, dismissed: "not_there", trials: 0, difference },
    );
    const tally = new RaceTally({ races: [], pairs: 0, skipped: {}, cut: new Set(), readOnly: new Set() });
    const known = { ...seen, request: { ...seen.request, at }, answer: { ...seen.answer, before } };
    await confirmRaces([known], lanePool, tally, new RacesEnd(Infinity, undefined));
    expect(tally.dismissedHits).toMatchObject([{ reason: "not_there", difference }]);
    expect(asked.filter((one) => one !== "rebuilt" && one.mode === "measure")).toMatchObject([{ at, before }, { before }]);
  });

  it("is not refuted by trials in another state of its pair", async () => {
    const seen = [seenAt([3], [0, 0]), seenAt([4, 4], [0, 0])];
    const { dismissedHits } = await confirmed(seen, ({ path }) =>
      path.length === 2 ? { ...NOTHING, dismissed: "not_there", trials: 0 } : NOTHING,
    );
    expect(dismissedHits).toEqual([[[4, 4], "state", "not_there", 1]]);
  });

  it("is confirmed in the state that its path leads to now", async () => {
    const seen = seenAt([], [0, 0]);
    const at = { lo: 1, hi: 2 };
    const { races, dismissed } = await confirmed([{ ...seen, request: { ...seen.request, at } }], (request) =>
      request.at === undefined ? hitOf("state") : { ...NOTHING, dismissed: "not_there", trials: 0 },
    );
    expect(races.map(({ request }) => request.at)).toEqual([undefined]);
    expect(dismissed).toEqual({});
  });
});

it("is unknown if the calls of each control arm overlap", async () => {
  expect((await confirmed([seenAt([3], [0, 0])], () => ({ ...NOTHING, dismissed: "control_overlaps", trials: 20 }))).dismissed).toEqual({
    control_overlaps: 1,
  });
});

describe("a rule that broke in a trial, and in none on a rebuilt lane", () => {
  const seen = { ...seenAt([3], [0, 0], "invariant") };
  const found = { ...seen, answer: { ...seen.answer, trials: 5 } };

  it("is not refuted, and has a rate", async () => {
    const { lanePool, asked } = laneThat((request) => (isMeasured(request) ? { ...NOTHING, trials: 20 } : NOTHING));
    const tally = new RaceTally({ races: [], pairs: 0, skipped: {}, cut: new Set(), readOnly: new Set() });
    expect(await confirmRaces([found], lanePool, tally, new RacesEnd(Infinity, undefined))).toEqual([]);
    expect(tally.dismissedHits).toMatchObject([{ reason: "not_repeated", rate: { hits: 1, trials: 27 } }]);
    const measured = asked.flatMap((one) => (one !== "rebuilt" && isMeasured(one) ? [[one.isSeen, one.wanted?.verdict]] : []));
    expect(measured).toEqual([
      [true, "invariant"],
      [undefined, undefined],
    ]);
  });

  it("has a rate of all trials, also of those that made its path shorter", async () => {
    const { lanePool } = laneThat((request) => {
      if (isMeasured(request)) return { ...NOTHING, trials: 20 };
      return request.path.includes(3) ? hitOf("invariant") : NOTHING;
    });
    const tally = new RaceTally({ races: [], pairs: 0, skipped: {}, cut: new Set(), readOnly: new Set() });
    const { request } = seenAt([2, 3, 4], [0, 0]);
    await confirmRaces([{ ...found, request }], lanePool, tally, new RacesEnd(Infinity, undefined));
    // Four shorter paths were tried, and two of them broke the rule. The shortest and the whole path were measured.
    expect(tally.dismissedHits).toMatchObject([{ reason: "not_repeated", rate: { hits: 3, trials: 5 + 4 * 2 + 2 * 20 } }]);
  });

  it.each(["control", "noise"] as const)("is refuted if calls one after the other break it, too: %s", async (dismissed) => {
    const { dismissedHits } = await confirmed([found], () => ({ ...NOTHING, dismissed, trials: 20 }));
    expect(dismissedHits).toEqual([[[3], "invariant", "unconfirmed", 1]]);
  });

  it("is reported by a lesser effect that the calls have more often", async () => {
    const answer = (request: RaceRequest): RaceAnswer => (isMeasured(request) && request.wanted === undefined ? hitOf("state") : NOTHING);
    const { races, dismissed } = await confirmed([found], answer);
    expect(races.map(({ hit }) => hit.verdict)).toEqual(["state"]);
    expect(dismissed).toEqual({});
  });
});

describe("a prefix that is made shorter", () => {
  it("is kept as it was found where the shorter one is not seen on a lane built anew", async () => {
    // Searching shows it behind any prefix; measured, only behind the whole.
    const answer = (request: RaceRequest): RaceAnswer => (isMeasured(request) && request.path.length < 3 ? NOTHING : hitOf("state"));
    const { races, measured } = await confirmed([seenAt([2, 3, 4], [0, 0])], answer);
    expect(measured.map(({ path }) => path)).toEqual([[], [2, 3, 4]]);
    expect(races.map(({ request }) => request.path)).toEqual([[2, 3, 4]]);
  });

  it("has only the steps without which the race is not seen", async () => {
    const answer = ({ path }: RaceRequest): RaceAnswer => (path.includes(3) ? hitOf("state") : NOTHING);
    const { races } = await confirmed([seenAt([2, 3, 4], [0, 0])], answer);
    expect(races.map(({ request }) => request.path)).toEqual([[3]]);
  });

  it("keeps own test data of the calls", async () => {
    const own = withOwnData(seenAt([2, 3, 4], [0, 0, 0]).request);
    const answer = ({ path }: RaceRequest): RaceAnswer => (path.includes(3) ? hitOf("state") : NOTHING);
    const { races } = await confirmed([{ ...seenAt([], []), request: own }], answer);
    expect(races.map(({ request: { path, sides, draws } }) => ({ path, sides, draws }))).toEqual([
      {
        path: [3],
        sides: [0, 0],
        draws: [[2], [2, 3, 4], [2, 3, 4, 0]],
      },
    ]);
    // The first of three calls becomes a step, with the data that it drew as a call.
    const few = await confirmed([{ ...seenAt([], []), request: withOwnData(seenAt([], [0, 0, 0]).request) }], ({ path, sides }) =>
      path.length + sides.length > 2 ? hitOf("state") : NOTHING,
    );
    expect(few.races.map(({ request: { path, sides, draws } }) => ({ path, sides, draws }))).toEqual([
      { path: [0], sides: [0, 0], draws: [[], [0], [0, 0]] },
    ]);
  });

  it("takes copies of the call that are not needed", async () => {
    const answer = ({ path, sides }: RaceRequest): RaceAnswer => (path.length + sides.length > 3 ? hitOf("state") : NOTHING);
    const { races } = await confirmed([seenAt([], [0, 0, 0, 0])], answer);
    // One of four has to come before the others, or among them.
    expect(races.map(({ request }) => [request.path, request.sides])).toEqual([
      [
        [0, 0],
        [0, 0],
      ],
    ]);
  });
});

describe("the time for races", () => {
  /** A clock that stands still but for what measuring takes. */
  function clock(): { add(ms: number): void } {
    let now = 1000;
    vi.spyOn(performance, "now").mockImplementation(() => now);
    return { add: (ms) => void (now += ms) };
  }
  const pairs = [seenAt([], [0, 0]), seenAt([], [1, 1]), seenAt([], [2, 2])];

  it("ends confirming, too: what is being measured then is brought to its end, and what is left is counted", async () => {
    const time = clock();
    const { races, dismissed } = await confirmed(
      pairs,
      (request) => {
        if (isMeasured(request)) time.add(600);
        return isMeasured(request) ? hitOf("state") : NOTHING;
      },
      new RacesEnd(1000, undefined),
    );
    expect(races.map(({ request }) => request.sides)).toEqual([
      [0, 0],
      [1, 1],
    ]);
    expect(dismissed).toEqual({ max_time: 1 });
  });

  it("that was up before another state of a pair was looked at leaves the pair unconfirmed for that reason", async () => {
    const time = clock();
    const twice = [seenAt([], [0, 0]), seenAt([1], [0, 0])];
    const { dismissed } = await confirmed(twice, () => (time.add(600), NOTHING), new RacesEnd(500, undefined));
    expect(dismissed).toEqual({ max_time: 1 });
    // All states were looked at: that it was not seen is known.
    expect((await confirmed(twice.slice(0, 1), () => (time.add(600), NOTHING), new RacesEnd(500, undefined))).dismissed).toEqual({
      unconfirmed: 1,
    });
  });

  it("is not used up by leaving steps out: half of what is left is for the race itself", async () => {
    const time = clock();
    const answer = (request: RaceRequest): RaceAnswer => {
      time.add(isMeasured(request) ? 100 : 60);
      return isMeasured(request) ? hitOf("state") : NOTHING;
    };
    const path = Array.from({ length: 40 }, (_, step) => step);
    const { races } = await confirmed([seenAt(path, [0, 0])], answer, new RacesEnd(1000, undefined));
    expect(races.map(({ request }) => request.path)).toEqual([path]);
  });

  it("leaves a quarter for confirming once something is seen, and all of it for probing until then", () => {
    const time = clock();
    const end = new RacesEnd(1000, undefined);
    time.add(749);
    expect([end.ofProbing(true), end.ofProbing(false)]).toEqual([undefined, undefined]);
    time.add(1);
    expect([end.ofProbing(true), end.ofProbing(false), end.reason]).toEqual(["max_time", undefined, undefined]);
    time.add(250);
    expect([end.ofProbing(true), end.ofProbing(false), end.reason]).toEqual(["max_time", "max_time", "max_time"]);
  });

  it("an interruption leaves what is unconfirmed for that reason, also in the middle of measuring", async () => {
    const stop = new AbortController();
    const answer = (request: RaceRequest): RaceAnswer => {
      if (isMeasured(request) && request.sides[0] === 1) stop.abort();
      return isMeasured(request) && !stop.signal.aborted ? hitOf("state") : NOTHING;
    };
    const { races, dismissed, dismissedHits } = await confirmed(pairs, answer, new RacesEnd(Infinity, stop.signal));
    expect(dismissedHits).toHaveLength(2);
    expect(races.map(({ request }) => request.sides)).toEqual([[0, 0]]);
    expect(dismissed).toEqual({ interrupted: 2 });
  });
});
