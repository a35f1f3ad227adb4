/** A fixture with a planted bug, on which strategies are compared. */
export interface Bed {
  readonly name: string;
  /** The module that exports `agent`, relative to the root of the repository. */
  readonly agent: string;
  /** The path of a `seqqa.yaml`, relative to the root of the repository; absent for an API in memory. */
  readonly config?: string;
  /** The environment variables that enable the bug. */
  readonly env: Readonly<Record<string, string>>;
  /** Maximum number of steps of a run. The findings of a breadth-first run with this number count as all that can be found. */
  readonly maxSteps: number;
}

const BUG = { BUG: "1" };
/** More steps than the largest of the small fixtures has transitions. */
const SMALL = 20_000;

const served = (fixture: string, env: Readonly<Record<string, string>>, maxSteps: number = SMALL, name: string = fixture): Bed => ({
  name,
  agent: `fixtures/${fixture}/${fixture}.explore.ts`,
  config: `fixtures/${fixture}/seqqa.yaml`,
  env,
  maxSteps,
});

/** Returns a fixture in memory. @param maxSteps More steps than the fixture has transitions: see the table in fixtures/README.md. */
const inMemory = (fixture: string, maxSteps: number): Bed => ({
  name: `${fixture} (memory)`,
  agent: `fixtures/${fixture}/memory.explore.ts`,
  env: BUG,
  maxSteps,
});

/**
 * The defects of the fixture `rules`, described in fixtures/README.md. Each run enables only one, because a path ends where it breaks a rule: with
 * all defects at once, some would hide others.
 */
const DEFECTS: readonly string[] = [
  "use_after_free",
  "orphans",
  "unavailable",
  "hierarchy",
  "hierarchy_delete",
  "leak",
  "adds_up",
  "stale_list",
  "charges_again",
];

/**
 * Every fixture with a planted bug that a sequence of calls shows. Left out are `races`, whose bugs need simultaneous calls, `workspace`, which has
 * no exploration (`npm run bench -- scaffold` generates one), and `order-graph`, because an exploration of a state graph has no strategy.
 */
export const beds: readonly Bed[] = [
  served("shop", BUG),
  { ...served("demo", {}), agent: "fixtures/demo/shop.explore.mjs" },
  served("double-delete", BUG),
  served("stale-read", BUG),
  served("order-dependent", { BUG: "total" }, SMALL, "order-dependent, total"),
  served("order-dependent", { BUG: "crash" }, SMALL, "order-dependent, crash"),
  served("idempotency", BUG),
  served("late", { ...BUG, LATE_MS: "0" }),
  served("login", BUG),
  served("own-triggers", BUG),
  served("remote", BUG),
  ...["double_refund", "refund_canceled", "ship_unpaid"].map((bug) =>
    served("order-model", { BUG: bug }, SMALL, `order-model, ${bug.replaceAll("_", " ")}`),
  ),
  ...DEFECTS.map((defect) => served("rules", { DEFECT: defect }, SMALL, `rules, ${defect.replaceAll("_", " ")}`)),
  served("deep", BUG, 40_000),
  inMemory("deep", 40_000),
  served("ledger", BUG),
  inMemory("ledger", 200_000),
  served("stock", BUG),
  inMemory("stock", 260_000),
];
