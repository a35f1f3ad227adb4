import { describe, expect, it } from "vitest";
import { full, size, some } from "../sizes.ts";
import { documentOf, emptyFolder, seqqa, type Explored } from "../support/e2e.ts";
import { inWords, plantedRaces } from "../support/planted-races.ts";
import { template } from "../support/store-templates.ts";

interface Way {
  readonly store: "sqlite" | "postgres" | "mysql" | "redis";
  readonly parallel: number;
  /** Part of the names of the scenarios; all at full size. */
  readonly only: string;
}

const WAYS: readonly Way[] = full
  ? [
      ...(["sqlite", "postgres", "redis"] as const).flatMap((store) => [1, 2].map((parallel) => ({ store, parallel, only: "" }))),
      ...[1, 2].flatMap((parallel) => ["double_refund", "lost_update"].map((only) => ({ store: "mysql" as const, parallel, only }))),
    ]
  : [
      // Of the servers one, whose gate shows races each time: test/stores/contract/gate has that of the other; on Redis nothing is held, as on SQLite.
      { store: "sqlite", parallel: 2, only: "double_refund" },
      { store: "postgres", parallel: 1, only: "double_refund" },
    ];

const RUNS = size(1, 20);
/** Where no race is, and each trial says so. */
const FEW_TRIALS: Readonly<Record<string, string>> = full ? {} : { SEQQA_EXPLORATION_RACES_TRIALS: "2" };

interface RanRaces {
  readonly status: number | null;
  readonly explorations: readonly Explored[];
}

/** Explores a fixture and probes its pairs. */
async function run(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<RanRaces> {
  const command = ["run", ...args, "--races", "pairs", "--reporter", "json", "--output", emptyFolder()];
  const ran = await seqqa(command, { env, timeoutMs: full ? 3_000_000 : 300_000 });
  expect(ran.stderr).toBe("");
  return { status: ran.status, explorations: documentOf(ran).explorations };
}

const TIMES = Array.from({ length: RUNS }, (_, time) => time + 1);

const whereOf = async ({
  store,
  parallel,
  only,
}: Way): Promise<readonly [args: readonly string[], env: Readonly<Record<string, string>>]> => {
  const lanes = ["fixtures/races", "--parallel", String(parallel), ...(only === "" ? [] : ["--only", only])];
  if (store === "sqlite") return [lanes, {}];
  return [[...lanes, "--config", "fixtures/races/store.yaml"], { STORE_URL: await template(store) }];
};

describe.each(WAYS)("the races of fixtures/races on $store, --parallel $parallel", { timeout: full ? 10_800_000 : 600_000 }, (way) => {
  const scenarios = plantedRaces.filter(({ name }) => name.includes(way.only));

  it.each(TIMES)("are found, time %i", async (time) => {
    const [args, env] = await whereOf(way);
    const { status, explorations } = await run([...args, "--seed", String(time)], { ...env, BUG: "1" });
    expect(status).toBe(1);
    expect(explorations.map(({ name }) => name)).toEqual(scenarios.map(({ name }) => name));
    for (const { name, states, transitions, found, besides = [] } of scenarios) {
      const result = explorations.find((one) => one.name === name)!;
      expect({ time, ...result }).toMatchObject({ statesVisited: states, transitions, violations: [], errors: [], divergences: [] });
      const words = result.races.map(inWords);
      expect({ time, name, missed: found.filter((one) => !words.includes(one)) }).toEqual({ time, name, missed: [] });
      const unexpected = words.filter((one) => !found.includes(one) && !besides.includes(one));
      expect({ time, name, unexpected }).toEqual({ time, name, unexpected: [] });
      for (const race of result.races) {
        expect(race.hits).toBeGreaterThan(0);
        expect(race.trials).toBeGreaterThanOrEqual(race.hits);
        // What a store can hold needs no luck: the schedule shows it each time.
        if (!["postgres", "mysql"].includes(way.store) || !found.includes(inWords(race))) continue;
        expect({ delivery: race.delivery, hits: race.hits, misses: race.misses }).toEqual({
          delivery: "gated",
          hits: race.trials,
          misses: 0,
        });
      }
    }
  });

  // In the quick suite on the store that has races by chance: test/stores/contract/gate has held writes without a race.
  const hasTwin = full || way.store === "sqlite";
  it.runIf(hasTwin).each(TIMES)("are not there where the same calls are written as they should be, time %i", async (time) => {
    const [args, env] = await whereOf(full ? way : { ...way, parallel: 1 });
    const { status, explorations } = await run([...args, "--seed", String(time)], { ...env, ...FEW_TRIALS });
    for (const { name, states, transitions } of scenarios) {
      const result = explorations.find((one) => one.name === name)!;
      expect({ time, ...result }).toMatchObject({
        statesVisited: states,
        transitions,
        races: [],
        violations: [],
        errors: [],
        divergences: [],
      });
      expect(result.raceCoverage!.trials - result.raceCoverage!.misses).toBeGreaterThan(0);
    }
    expect({ time, status }).toEqual({ time, status: 0 });
  });
});

describe("the race of the demonstration", () => {
  // In the quick suite `seqqa demo` of e2e/description finds both.
  it.runIf(full)("is found beside its sequence bug, and nothing else is", async () => {
    const { status, explorations } = await run(["fixtures/demo"]);
    const [result] = explorations;
    expect({ status, violations: result!.violations.map(({ invariant }) => invariant) }).toEqual({
      status: 1,
      violations: ["refund_within_amount"],
    });
    expect(result!.races.map((race) => [inWords(race), race.prefix])).toEqual([
      ["pay_order || pay_order: invariant paid_once", ["create_order"]],
    ]);
  });
});

/** Servers that do everything of a call at once: nothing of theirs can race. */
const WITHOUT_RACES = [
  "ledger",
  "shop",
  "stock",
  "login",
  "double-delete",
  "order-dependent",
  "idempotency",
  "order-model",
  "uuid-creates",
  "autoincrement",
  "times",
  "own-triggers",
  "replace-upsert",
];

describe("false alarms", { timeout: full ? 10_800_000 : 600_000 }, () => {
  const pairs = size(2, 2000);
  const fixtures = some(WITHOUT_RACES, 1);

  it(`there are none in ${pairs} pairs of fixtures without a race`, async () => {
    let probed = 0;
    for (let round = 1; probed < pairs && round <= 40; round++) {
      for (const fixture of fixtures) {
        const bounds = ["--max-steps", String(size(5, 3000)), "--seed", String(round), "--parallel", full ? String(1 + (round % 2)) : "1"];
        const { status, explorations } = await run([`fixtures/${fixture}`, "--only", fixture, ...bounds], FEW_TRIALS);
        const [result] = explorations;
        expect({ fixture, round, status, ...result! }).toMatchObject({
          races: [],
          violations: [],
          errors: [],
          divergences: [],
          status: 0,
        });
        probed += result!.raceCoverage!.probed;
      }
    }
    expect(probed).toBeGreaterThanOrEqual(pairs);
  });
});

describe("a window of 200 us between the look and the write of a Node server", { timeout: full ? 3_600_000 : 300_000 }, () => {
  const most = RUNS - 1;

  // In the quick suite races are found by chance above, on SQLite.
  it.runIf(full)(`is found within 20 trials in ${most} of ${RUNS} runs`, async () => {
    let found = 0;
    for (let time = 1; time <= RUNS; time++) {
      const { explorations } = await run(["fixtures/races", "--only", "lost_update", "--seed", String(time)], {
        BUG: "1",
        WINDOW_US: "200",
      });
      const races = explorations[0]!.races.filter((race) => inWords(race) === "like || like: state");
      if (races.some(({ prefix, trials, misses }) => prefix.length === 0 && trials + misses <= 20)) found++;
    }
    expect(found).toBeGreaterThanOrEqual(most);
  });
});
