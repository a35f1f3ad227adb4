/** A fixture in one of its buggy modes, as strategies are compared on it. */
export interface Bed {
  readonly name: string;
  /** The module that exports `agent`, from the root of the repository. */
  readonly agent: string;
  /** A `seqqa.yaml`, from the root of the repository; none for an API in memory. */
  readonly config?: string;
  /** What switches the bug on. */
  readonly env: Readonly<Record<string, string>>;
  /** Steps of a run at most. What breadth first finds with as many is all that there is to find. */
  readonly maxSteps: number;
}

const BUG = { BUG: "1" };
/** More than the largest of the small ones has. */
const SMALL = 20_000;

const served = (fixture: string, env: Readonly<Record<string, string>>, maxSteps: number = SMALL, name: string = fixture): Bed => ({
  name,
  agent: `fixtures/${fixture}/${fixture}.explore.ts`,
  config: `fixtures/${fixture}/seqqa.yaml`,
  env,
  maxSteps,
});

/** More than its transitions: see the table in fixtures/README.md. */
const inMemory = (fixture: string, maxSteps: number): Bed => ({
  name: `${fixture} (memory)`,
  agent: `fixtures/${fixture}/memory.explore.ts`,
  env: BUG,
  maxSteps,
});

/** See fixtures/README.md. One at a time: paths end where they break a rule, so that of all at once some would hide others. */
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
 * Every fixture with a planted bug that an order of calls shows. Not here: `races`, whose bugs are in no order; `workspace`, which has no
 * exploration of its own (`npm run bench -- scaffold` has one written); `order-graph`, as a state graph has no choice of strategies.
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
