import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { FaultCoverage, FaultPoint } from "../../src/model/results/result.ts";
import { full, size, some } from "../sizes.ts";
import { emptyFolder, only, root, seqqa, writtenIn, type Explored } from "../support/e2e.ts";
import { template } from "../support/store-templates.ts";

const STORES = ["sqlite", "postgres", "mysql", "redis"] as const;
type Store = (typeof STORES)[number];

type Found = Explored & {
  readonly faultCoverage?: FaultCoverage;
  readonly violations: readonly { readonly fault?: FaultPoint }[];
};

/** Each defect of fixtures/faults, the finding, a part of its message, and the stores that can show it. */
const DEFECTS: readonly (readonly [bug: string, invariant: string, message: string, stores: readonly Store[]])[] = [
  ["torn", "refund_order_torn_write", "the 2nd write of db (", STORES],
  ["compensated", "refund_order_torn_write", "the target was killed before the 2nd write of db (", ["mysql", "postgres", "redis"]],
  ["retry", "add_item_repeated_write", "the request was sent again after its answer was lost, and changed the stores twice", STORES],
  ["leak", "pay_order_no_recovery", "and then", ["sqlite", "postgres", "mysql"]],
  ["swallowed", "pay_order_false_success", "pay_order was answered 200, although the call changed nothing", STORES],
  ["deaf", "pay_order_no_recovery", "the connection was cut before", ["postgres"]],
];

/** The only kind of fault of a quick run, where a target with all kinds starts often, and the depth of the finding. */
const QUICK: Readonly<Record<string, readonly [kind: string, depth: string]>> = { compensated: ["kill", "2"], retry: ["lost_answer", "1"] };

const SQLITE_HAS_NOT = {
  "db cut": "SQLite has no network connections that seqqa could cut",
  "db kill": "SQLite writes inside the target, where seqqa cannot delay a write",
};

interface Ran {
  readonly status: number | null;
  readonly found: Found;
  readonly folder: string;
}

/** Runs that have been made: tests of one run share it. */
const made = new Map<string, ReturnType<typeof exploredAnew>>();

function explored(...run: Parameters<typeof exploredAnew>): ReturnType<typeof exploredAnew> {
  const key = JSON.stringify(run);
  if (!made.has(key)) made.set(key, exploredAnew(...run));
  return made.get(key)!;
}

async function exploredAnew(
  store: Store,
  bug: string,
  args: readonly string[] = [],
  more: Readonly<Record<string, string>> = {},
): Promise<Ran & { readonly env: Record<string, string> }> {
  const folder = emptyFolder();
  const config = join(
    root,
    "fixtures/faults",
    { sqlite: "seqqa.yaml", postgres: "store.yaml", mysql: "store.yaml", redis: "redis.yaml" }[store],
  );
  const env = { ...more, BUG: bug, STORE_URL: store === "sqlite" ? "" : await template(store) };
  const command = ["run", join(root, "fixtures/faults"), "--faults", "--config", config, "--output", folder, ...args];
  const { status } = await seqqa(command, { env, timeoutMs: 300_000 });
  return { status, found: only(writtenIn(folder)) as Found, folder, env };
}

/** In the quick suite each defect on one store: stores/contract/faults has the faults of each. */
const cases = some(DEFECTS, 2).flatMap(([bug, invariant, message, stores]) =>
  (full ? stores : [stores.find((store) => store !== "mysql")!]).map((store) => [bug, invariant, message, store] as const),
);

describe("faults at every write", { timeout: 600_000 }, () => {
  it.each(full ? STORES : (["postgres"] as const))("a correct API on %s has no finding, and every point was tried", async (store) => {
    const { status, found } = await explored(store, "", ["--parallel", full ? "2" : "1", ...(full ? [] : ["--max-steps", "8"])]);
    expect(found.violations).toEqual([]);
    expect(found.errors).toEqual([]);
    expect(found.divergences).toEqual([]);
    const { calls, counted, points, tried, skipped, skippedPoints, missing } = found.faultCoverage!;
    expect({ counted, tried, skippedPoints }).toEqual({ counted: calls, tried: points, skippedPoints: {} });
    expect(tried).toBeGreaterThan(calls);
    expect(Object.keys(skipped)).toEqual(["same_kind"]);
    expect(missing).toEqual(store === "sqlite" ? SQLITE_HAS_NOT : {});
    expect(status).toBe(0);
  });

  it.each(cases)("the defect %s is found as %s: %s, on %s", async (bug, invariant, message, store) => {
    const [kind, depth] = (full ? undefined : QUICK[bug]) ?? [];
    const kinds = kind === undefined ? [] : [{ SEQQA_EXPLORATION_FAULTS_KINDS: kind }];
    const { status, found } = await explored(
      store,
      bug,
      ["--parallel", "1", ...(depth === undefined ? [] : ["--max-depth", depth, "--bail"])],
      ...kinds,
    );
    expect(found.violations.map((one) => one.message).join("\n")).toContain(message);
    expect(found.violations.map((one) => one.invariant)).toContain(invariant);
    expect(found.violations.every(({ confirmed, fault }) => confirmed && fault !== undefined)).toBe(true);
    expect(status).toBe(1);
  });

  it.runIf(full).each(["postgres", "mysql", "redis"] as const)("the ledger on %s has no finding", async (store) => {
    const folder = emptyFolder();
    const config = ["--config", join(root, "fixtures/ledger/store.yaml"), "--output", folder, "--only", "ledger"];
    const command = [
      "run",
      join(root, "fixtures/ledger"),
      ...config,
      "--faults",
      "--max-depth",
      String(size(3, 4)),
      "--max-steps",
      "400",
      "--parallel",
      full ? "2" : "1",
    ];
    const { status } = await seqqa(command, { env: { STORE_URL: await template(store) }, timeoutMs: 300_000 });
    const found = only(writtenIn(folder)) as Found;
    expect(found.violations).toEqual([]);
    expect(found.errors).toEqual([]);
    expect(status).toBe(0);
    const { tried, points, missing } = found.faultCoverage!;
    expect(tried).toBe(points);
    expect(tried).toBeGreaterThan(10);
    expect(missing).toEqual({});
  });

  it("every number of lanes finds the same", async () => {
    const results = [];
    // In the quick suite e2e/one-answer compares lanes, and this the finding with that of the model.
    for (const lanes of full ? ["1", "2", "4"] : ["1"]) {
      const { found } = await explored("sqlite", "torn", ["--parallel", lanes]);
      const { durationMs: _, ...coverage } = found.faultCoverage!;
      const violations = found.violations.map(({ id, invariant, message, reproductionPath, fault, steps }) => ({
        id,
        invariant,
        message,
        reproductionPath,
        fault,
        statuses: steps.map((step) => step.status),
      }));
      results.push({ coverage, violations, digest: found.digest });
    }
    for (const result of results.slice(1)) expect(result).toEqual(results[0]);
    expect(results[0]!.violations).toMatchObject([
      {
        invariant: "refund_order_torn_write",
        reproductionPath: ["pay_order", "refund_order"],
        fault: { kind: "error", store: "db", write: 2, statement: "UPDATE orders" },
        statuses: [200, 500],
      },
    ]);
  });

  it("tables outside of best_effort must not be torn", async () => {
    const { found } = await explored("sqlite", "", ["--config", join(root, "fixtures/faults/strict.yaml")]);
    expect(found.violations.map((one) => one.invariant)).toEqual(["pay_order_torn_write"]);
    expect(found.violations[0]!.message).toContain("INSERT audit");
  });

  it("a finding is replayed with its fault, and is gone once it is mended", async () => {
    const { found, folder, env } = await explored("sqlite", "torn", ["--parallel", "1"]);
    const config = ["--config", join(root, "fixtures/faults/seqqa.yaml"), "--output", folder];
    const again = await seqqa(["replay", found.violations[0]!.id, ...config], { env });
    expect(again.stdout).toContain("Still fails: refund_order_torn_write is broken again.");
    expect(again.status).toBe(1);
    const mended = await seqqa(["replay", found.violations[0]!.id, ...config], { env: { ...env, BUG: "" } });
    expect(mended.stdout).toContain("Gone: refund_order_torn_write holds after the same path.");
    expect(mended.status).toBe(0);
    const emitted = await seqqa(["replay", found.violations[0]!.id, ...config, "--emit", "curl"], { env });
    expect(emitted.status).toBe(2);
  });
});
