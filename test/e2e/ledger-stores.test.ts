import { describe, expect, it } from "vitest";
import { explore, ledger } from "../models/index.ts";
import { full, size } from "../sizes.ts";
import { documentOf, emptyFolder, only, seqqa, type Explored } from "../support/e2e.ts";
import { template } from "../support/store-templates.ts";

interface Way {
  readonly name: string;
  readonly kind: "sqlite" | "postgres" | "mysql" | "redis";
  readonly config: string;
}

const WAYS = [
  { name: "PostgreSQL, journal", kind: "postgres", config: "store.yaml" },
  { name: "PostgreSQL in process, savepoint", kind: "postgres", config: "in-process.yaml" },
  { name: "MariaDB, journal", kind: "mysql", config: "store.yaml" },
  { name: "MariaDB in process, savepoint", kind: "mysql", config: "in-process.yaml" },
  { name: "Redis, a server per lane", kind: "redis", config: "store.yaml" },
  { name: "Redis, an index per lane", kind: "redis", config: "redis-index.yaml" },
] as const satisfies readonly Way[];

/** In the quick suite one of each store: e2e/store-losses, two-stores and redis-indexes and stores/contract/system have the others. */
const QUICK: readonly string[] = ["PostgreSQL in process, savepoint", "MariaDB, journal", "Redis, an index per lane"];

async function run(
  way: Way,
  url: string,
  parallel: number,
  env: Readonly<Record<string, string>>,
  ...args: readonly string[]
): Promise<Explored> {
  const command = [
    "run",
    "fixtures/ledger",
    "--only",
    "ledger",
    "--config",
    `fixtures/ledger/${way.config}`,
    "--parallel",
    String(parallel),
  ];
  const ran = await seqqa([...command, "--reporter", "json", "--output", emptyFolder(), ...args], {
    env: { STORE_URL: url, ...env },
    timeoutMs: full ? 3_000_000 : 100_000,
  });
  expect(ran.stderr).toBe("");
  return only(documentOf(ran));
}

let known: Promise<string> | undefined;

/** The digest of the same exploration on the fixture's own SQLite database. */
function digestOnSqlite(bounds: readonly string[]): Promise<string> {
  return (known ??= run({ name: "SQLite", kind: "sqlite", config: "seqqa.yaml" }, "", 1, {}, ...bounds).then(({ digest }) => digest));
}

describe.each(full ? WAYS : WAYS.filter(({ name }) => QUICK.includes(name)))(
  "the ledger on $name",
  { timeout: full ? 10_800_000 : 300_000 },
  (way) => {
    const depth = full ? undefined : size(2, 99);
    const bounds = depth === undefined ? [] : ["--max-depth", String(depth)];

    // In the quick suite stores/adapters/redis/providers gives lanes indexes of one server, and e2e/run-store has two lanes.
    it.each(full ? [1, 2, 4] : [1])("has the states of its model and the digest of SQLite, with %i lanes", async (parallel) => {
      const url = await template(way.kind);
      const counts = explore(ledger(false), depth === undefined ? {} : { maxDepth: depth });
      const result = await run(way, url, parallel, {}, ...bounds);
      expect(result).toMatchObject({
        statesVisited: counts.states,
        transitions: counts.transitions,
        violations: [],
        errors: [],
        divergences: [],
      });
      expect(result.digest).toBe(await digestOnSqlite(bounds));
    });

    // In the quick suite e2e/replay-race and races have confirmed findings on stores: it is the engine that confirms.
    it.runIf(full)("finds the planted bug, confirmed", async () => {
      const result = await run(
        way,
        await template(way.kind),
        1,
        { BUG: "1" },
        "--bail",
        "--strategy",
        "dfs",
        "--max-depth",
        "4",
        "--max-steps",
        "400",
      );
      const found = result.violations.find(({ invariant }) => invariant === "cancelled_never_shipped");
      expect(found).toMatchObject({ confirmed: true, reproductionPath: ["create", "pay_1", "ship_1", "cancel_1"] });
    });
  },
);
