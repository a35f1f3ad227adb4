import { describe, expect, it } from "vitest";
import {
  confirmViolations,
  type ConfirmedViolation,
  type ConfirmOptions,
  type Shrinking,
} from "../../../../src/engine/findings/confirm.ts";
import { TimeLimit } from "../../../../src/engine/search/time-limit.ts";
import type { LanePool } from "../../../../src/engine/lane-pool.ts";
import { FindingLog } from "../../../../src/engine/findings/finding-log.ts";
import { CRASHED, type FindingEvent, type Recording, type UnrestoredCounters } from "../../../../src/messages/lane-messages.ts";

const ACTIONS = ["create", "refund"];
const rule: FindingEvent = { invariant: "within_amount", severity: "high", message: "refunded more than was paid" };
const crash: FindingEvent = { invariant: CRASHED, severity: "critical", message: "The target stopped answering" };

/** All that confirming looks at in the report of a lane. */
const UP = { contextOnly: false };

const nothing = {
  checks: [],
  evidence: [],
  drew: false,
  findings: [],
  errors: [],
  reached: undefined,
  lines: [],
  brokeAt: undefined,
  failure: undefined,
};
const step = (action: string, status: number | null): Recording["steps"][number] => ({ action, status, requests: [] });
const again: Recording = { ...nothing, steps: [step("create", 201), step("refund", 200)], findings: [rule] };
const clean: Recording = { ...again, findings: [] };
/** The target went away under the last step. */
const lost: Recording = {
  ...nothing,
  steps: [step("create", 201), step("refund", null)],
  findings: [crash],
  brokeAt: 1,
  failure: "unreachable",
};

/** What a lane that is built anew each time makes of the path: an error is one that could not be had. */
async function confirm(found: FindingEvent, status: number, ...lanes: readonly (Recording | Error)[]): Promise<unknown> {
  let rebuilt = 0;
  const lanePool = {
    lanes: 1,
    rebuild: () => (lanes[rebuilt++] instanceof Error ? Promise.reject(new Error("no lane")) : Promise.resolve(UP)),
    record: () => Promise.resolve(lanes[rebuilt - 1]),
  };
  const log = new FindingLog();
  log.addViolation({ finding: found, lastAction: "refund", status, path: [0, 1], state: null, stepEvents: undefined, draws: undefined });
  const [violation] = await confirmViolations(log, { actions: ACTIONS, lanePool: lanePool as unknown as LanePool, signal: undefined });
  return { rebuilt, confirmed: violation!.confirmed, recorded: violation!.recording !== undefined };
}

describe("replaying a finding from a clean start", () => {
  it("believes what it sees", async () => {
    expect(await confirm(rule, 200, again)).toEqual({ rebuilt: 1, confirmed: true, recorded: true });
    expect(await confirm(rule, 200, clean)).toEqual({ rebuilt: 1, confirmed: false, recorded: true });
    expect(await confirm(crash, 0, lost)).toEqual({ rebuilt: 1, confirmed: true, recorded: true });
    expect(await confirm(crash, 0, again)).toEqual({ rebuilt: 1, confirmed: false, recorded: true });
  });

  it("is begun again, once, when the lane was lost for another reason", async () => {
    expect(await confirm(rule, 200, lost, again)).toEqual({ rebuilt: 2, confirmed: true, recorded: true });
    expect(await confirm(rule, 200, new Error("busy"), again)).toEqual({ rebuilt: 2, confirmed: true, recorded: true });
    expect(await confirm(rule, 200, lost, clean)).toEqual({ rebuilt: 2, confirmed: false, recorded: true });
    expect(await confirm(rule, 200, lost, lost, again)).toEqual({ rebuilt: 2, confirmed: false, recorded: true });
    expect(await confirm(rule, 200, new Error("busy"), new Error("busy"))).toEqual({ rebuilt: 2, confirmed: false, recorded: false });
  });
});

describe("a finding that is not replayed to its end", () => {
  /** Confirms one finding on a lane whose target does not answer until its requests are ended. */
  async function hanging(limit: Pick<TimeLimit, "leftMs" | "allowanceMs" | "isOver">, signal?: AbortSignal): Promise<unknown> {
    let recorded = 0;
    let cut = (): void => undefined;
    const lanePool = {
      lanes: 1,
      rebuild: () => Promise.resolve(UP),
      record: () => {
        recorded++;
        return new Promise((resolve) => (cut = () => resolve({ ...lost, failure: "timeout" })));
      },
      cut: () => cut(),
    };
    const log = new FindingLog();
    log.addViolation({
      finding: crash,
      lastAction: "refund",
      status: 0,
      path: [0, 1],
      state: null,
      stepEvents: undefined,
      draws: undefined,
    });
    const lane = lanePool as unknown as LanePool;
    const [violation] = await confirmViolations(log, { actions: ACTIONS, lanePool: lane, signal, limit: limit as TimeLimit });
    const { confirmed, notReplayed } = violation!;
    return { recorded, confirmed, notReplayed };
  }

  it("is not begun when the time is over", async () => {
    const limit = new TimeLimit(1_000, performance.now() - 60_000);
    expect(await hanging(limit)).toEqual({ recorded: 0, confirmed: false, notReplayed: "max_time" });
  });

  it("proves nothing where its requests were ended for want of time, not even that it hangs", async () => {
    const ends = performance.now() + 200;
    const limit = {
      allowanceMs: 0,
      get leftMs(): number {
        return Math.max(ends - performance.now(), 0);
      },
      get isOver(): boolean {
        return performance.now() >= ends;
      },
    };
    expect(await hanging(limit)).toEqual({ recorded: 1, confirmed: false, notReplayed: "max_time" });
  });

  it("proves nothing where the run was interrupted: that may have ended the target, too", async () => {
    const abort = new AbortController();
    const lanePool = {
      lanes: 1,
      rebuild: () => Promise.resolve(UP),
      record: () => (abort.abort(), Promise.resolve({ ...lost, steps: [step("create", null)], brokeAt: 0, findings: [] })),
    };
    const log = new FindingLog();
    log.addViolation({
      finding: rule,
      lastAction: "refund",
      status: 200,
      path: [0, 1],
      state: null,
      stepEvents: undefined,
      draws: undefined,
    });
    const { signal } = abort;
    const [violation] = await confirmViolations(log, { actions: ACTIONS, lanePool: lanePool as unknown as LanePool, signal });
    expect(violation).toMatchObject({ confirmed: false, recording: undefined, notReplayed: "interrupted" });
  });
});

describe("replaying many findings", () => {
  const RULES = ["a", "b", "c", "d"];
  const recorded = (rules: readonly string[], status = 200): Recording => ({
    ...nothing,
    steps: [step("create", status)],
    findings: rules.map((invariant) => ({ ...rule, invariant })),
  });

  interface Script extends Partial<ConfirmOptions> {
    /** What the next replay shows; `starts`: how many targets were started until then. */
    readonly shows?: (starts: number, replays: number) => Recording;
    readonly contextOnly?: boolean;
    readonly counters?: UnrestoredCounters;
    readonly startMs?: number;
    readonly findings?: readonly (readonly [rule: string, status: number])[];
  }

  async function confirmAll(script: Script = {}): Promise<{ starts: number; replays: number; all: readonly ConfirmedViolation[] }> {
    let starts = 0;
    let replays = 0;
    const { shows = () => recorded(RULES), contextOnly = false, counters, startMs = 0, findings, ...options } = script;
    const lanePool = {
      lanes: 1,
      rebuild: async () => {
        starts++;
        await new Promise((resolve) => setTimeout(resolve, startMs));
        return { contextOnly, counters };
      },
      record: () => Promise.resolve(shows(starts, ++replays)),
    };
    const log = new FindingLog();
    for (const [invariant, status] of findings ?? RULES.map((name) => [name, 200] as const))
      log.addViolation({
        finding: { ...rule, invariant },
        lastAction: "create",
        status,
        path: [0],
        state: null,
        stepEvents: undefined,
        draws: undefined,
      });
    const lane = lanePool as unknown as LanePool;
    const all = await confirmViolations(log, { actions: ACTIONS, lanePool: lane, signal: undefined, ...options });
    return { starts, replays, all };
  }

  const words = (all: readonly ConfirmedViolation[]): readonly string[] =>
    all.map(({ confirmed, notReplayed }) => (confirmed ? "confirmed" : (notReplayed ?? "flaky")));

  it("takes one target for all of them, put back to its root in between", async () => {
    const { starts, replays, all } = await confirmAll();
    expect({ starts, replays, words: words(all) }).toEqual({ starts: 1, replays: 4, words: Array(4).fill("confirmed") });
  });

  it("takes a target for each where nothing goes back to the root, or not all of it does", async () => {
    expect((await confirmAll({ contextOnly: true })).starts).toBe(4);
    expect((await confirmAll({ canGoBack: false })).starts).toBe(4);
  });

  it("takes a target for each if counters cannot begin again", async () => {
    const counters = { tables: "db.orders", hint: "" };
    expect((await confirmAll({ counters: { ...counters, startAgain: false } })).starts).toBe(4);
    expect((await confirmAll({ counters: { ...counters, startAgain: true } })).starts).toBe(1);
  });

  it("takes a new target if a replay had to count on from earlier steps", async () => {
    let last = 0;
    const shows = (starts: number): Recording => {
      const countsOn = starts === last;
      last = starts;
      return { ...recorded(RULES), countsOn };
    };
    const { starts, all } = await confirmAll({ shows });
    expect({ starts, words: words(all) }).toEqual({ starts: 4, words: Array(4).fill("confirmed") });
  });

  it("starts a target for the one that the target in use does not show, which decides", async () => {
    // The second replay shows nothing; a target of its own does.
    const later = await confirmAll({ shows: (_, replays) => recorded(replays === 2 ? [] : RULES) });
    expect({ starts: later.starts, replays: later.replays, words: words(later.all) }).toEqual({
      starts: 2,
      replays: 5,
      words: Array(4).fill("confirmed"),
    });
    const never = await confirmAll({ shows: () => recorded(["a", "c", "d"]) });
    expect({ starts: never.starts, words: words(never.all) }).toEqual({
      starts: 2,
      words: ["confirmed", "flaky", "confirmed", "confirmed"],
    });
  });

  it("starts a target for each that ends or hangs it", async () => {
    const gone: Recording = { ...recorded(RULES), steps: [step("create", null)], failure: "unreachable" };
    const findings = RULES.map((name) => [name, 0] as const);
    const { starts, all } = await confirmAll({ shows: () => gone, findings });
    expect({ starts, words: words(all) }).toEqual({ starts: 4, words: Array(4).fill("confirmed") });
  });

  it("replays one finding of each cause first, and says of the others that there was no time", async () => {
    const findings = [
      ["a", 200],
      ["a", 500],
      ["b", 200],
    ] as const;
    const ends = { at: Infinity };
    const limit = {
      allowanceMs: 0,
      get leftMs(): number {
        return this.isOver ? 0 : 1_000;
      },
      get isOver(): boolean {
        return ends.at <= 0;
      },
    };
    const shows = (_: number, replays: number): Recording => {
      if (replays === 2) ends.at = 0;
      return recorded(RULES);
    };
    const { all } = await confirmAll({ findings, limit: limit as TimeLimit, shows });
    expect(words(all)).toEqual(["confirmed", "max_time", "confirmed"]);
  });

  it("begins no start that would not be over in time, as the one before shows; the first is not counted", async () => {
    const limit = new TimeLimit(1_000, performance.now() - 5_900);
    const { starts, all } = await confirmAll({ canGoBack: false, startMs: 300, limit });
    // 100 ms were left, and 300 more are given for the first start.
    expect({ starts, words: words(all) }).toEqual({ starts: 1, words: ["confirmed", "max_time", "max_time", "max_time"] });
  });

  it("says how far it is", async () => {
    const told: string[] = [];
    await confirmAll({
      shows: () => recorded(["a", "b", "c"]),
      onProgress: ({ replayed, confirmed }) => told.push(`${replayed}/${confirmed}`),
    });
    expect(told).toEqual(["0/0", "1/1", "2/2", "3/3", "4/3"]);
  });
});

describe("the time of what comes after exploring", () => {
  it.each([
    [2_000, 5_000],
    [360_000, 36_000],
    [3_600_000, 60_000],
  ])("of %s ms is a tenth more, within bounds: %s ms", (maxTimeMs, allowanceMs) => {
    const begun = performance.now();
    const limit = new TimeLimit(maxTimeMs, begun);
    expect(limit.allowanceMs).toBe(allowanceMs);
    expect(limit.leftMs).toBeGreaterThan(maxTimeMs + allowanceMs - 1_000);
    expect(new TimeLimit(maxTimeMs, begun - maxTimeMs - allowanceMs - 1).isOver).toBe(true);
    expect(new TimeLimit(Infinity, begun - 1e9)).toMatchObject({ isOver: false, leftMs: Infinity });
  });
});

describe("making a confirmed path shorter", () => {
  /** A lane on which the finding is seen wherever `create` comes before the last `refund`, from a clean start only along `confirmed` paths. */
  async function shrunk(options: {
    readonly found: readonly number[];
    readonly shortest?: readonly number[];
    readonly confirms?: (path: readonly number[]) => boolean;
    readonly eachMs?: number;
    readonly completeToDepth?: number;
    readonly mayBeBroken?: readonly string[];
    readonly seen?: (path: readonly number[]) => boolean;
    /** The fields whose change breaks the rule. The target also writes `jobs.tick` after answers. */
    readonly fields?: (path: readonly number[]) => readonly string[];
  }): Promise<unknown> {
    const { found, confirms = () => true } = options;
    const seen = options.seen ?? ((path: readonly number[]): boolean => path.at(-1) === 1 && path.slice(0, -1).includes(0));
    const broken = (path: readonly number[]): FindingEvent => ({ ...rule, fields: options.fields?.(path) });
    const areLate = (fields: readonly string[]): boolean => fields.length > 0 && fields.every((field) => field === "jobs.tick");
    let probes = 0;
    const lanePool = {
      lanes: 1,
      rebuild: () => Promise.resolve(UP),
      record: (_: number, path: readonly number[]) => {
        const findings = seen(path) && confirms(path) ? [broken(path)] : [];
        return Promise.resolve({ ...clean, findings, steps: path.map((action) => step(ACTIONS[action]!, 200)) });
      },
      probe: (_: number, path: readonly number[]) => {
        probes++;
        return Promise.resolve({ steps: path.length, status: 200, findings: seen(path) ? [broken(path)] : [], failure: undefined });
      },
    };
    const log = new FindingLog();
    log.addViolation({
      finding: rule,
      lastAction: "refund",
      status: 200,
      path: found,
      state: null,
      stepEvents: undefined,
      draws: undefined,
    });
    const shrinking: Shrinking = {
      shortest: (one) => ({ path: options.shortest ?? one.path, draws: undefined }),
      mayBeBroken: new Set(options.mayBeBroken),
      completeToDepth: options.completeToDepth ?? 0,
      eachMs: options.eachMs ?? 60_000,
      allMs: 60_000,
    };
    const lane = lanePool as unknown as LanePool;
    const [violation] = await confirmViolations(log, { actions: ACTIONS, lanePool: lane, signal: undefined, shrinking, areLate });
    const { path, minimality, confirmed } = violation!;
    return { path, minimality, confirmed, probed: probes > 0 };
  }

  it("leaves steps out until none can be left out", async () => {
    expect(await shrunk({ found: [1, 0, 0, 1, 1] })).toEqual({ path: [0, 1], minimality: "one_minimal", confirmed: true, probed: true });
  });

  it("tries nothing where the exploration is complete up to the path", async () => {
    const known = { path: [0, 0, 1], minimality: "shortest", confirmed: true, probed: false };
    expect(await shrunk({ found: [0, 0, 0, 1], shortest: [0, 0, 1], completeToDepth: 2 })).toEqual(known);
    expect(await shrunk({ found: [0, 0, 0, 1], shortest: [0, 0, 1], completeToDepth: 1 })).toMatchObject({ path: [0, 1] });
  });

  it("keeps the path that was found where a shorter one is not confirmed, and calls nothing the shortest then", async () => {
    const confirms = (path: readonly number[]): boolean => path.length === 4;
    const kept = { path: [0, 0, 0, 1], minimality: "as_found", confirmed: true };
    expect(await shrunk({ found: [0, 0, 0, 1], shortest: [0, 0, 1], completeToDepth: 9, confirms })).toMatchObject(kept);
  });

  it("behind a violation, keeps the step after which the rule held again", async () => {
    // Each `create` breaks the rule or mends it; a `refund` after any of them breaks it.
    const seen = (path: readonly number[]): boolean => {
      const creates = path.filter((action) => action === 0).length;
      return path.at(-1) === 1 ? creates > 0 : creates % 2 === 1;
    };
    expect(await shrunk({ found: [0, 0, 1], seen })).toMatchObject({ path: [0, 1] });
    expect(await shrunk({ found: [0, 0, 1], seen, mayBeBroken: [rule.invariant] })).toMatchObject({
      path: [0, 0, 1],
      minimality: "one_minimal",
    });
  });

  it("uses no path on which only a timer of the target breaks the rule", async () => {
    const fields = (path: readonly number[]): readonly string[] => ["jobs.tick", ...(path.includes(0) ? ["payments.amount"] : [])];
    const seen = (path: readonly number[]): boolean => path.at(-1) === 1;
    const kept = { path: [0, 1], confirmed: true };
    expect(await shrunk({ found: [0, 1], seen, fields })).toMatchObject({ ...kept, minimality: "one_minimal" });
    expect(await shrunk({ found: [0, 1], shortest: [1], completeToDepth: 1, seen, fields })).toMatchObject(kept);
    expect(await shrunk({ found: [0, 1], seen })).toMatchObject({ path: [1] });
  });

  it("does not shrink what is not confirmed, and stops when time is up", async () => {
    const flaky = { path: [0, 0, 1], minimality: undefined, confirmed: false, probed: false };
    expect(await shrunk({ found: [0, 0, 1], confirms: () => false })).toEqual(flaky);
    expect(await shrunk({ found: [0, 0, 1], eachMs: 0 })).toEqual({
      path: [0, 0, 1],
      minimality: "as_found",
      confirmed: true,
      probed: false,
    });
  });
});
