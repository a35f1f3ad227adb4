import { describe, expect, it } from "vitest";
import { batches, full, size } from "../sizes.ts";
import { Draws } from "../support/draws.ts";
import { modelOf } from "../support/soundness/model.ts";
import { runTarget, type Outcome } from "../support/soundness/run.ts";
import { specOf, STORES, type Spec, type Store } from "../support/soundness/spec.ts";
import { template } from "../support/store-templates.ts";

/** Runs at once: much of their time they wait. */
const AT_ONCE = full ? 8 : 10;
const LANES = [1, 2, 4] as const;

const urls = new Map<Store, Promise<string>>();

/** A template for targets on a store: they only read it, so that one does for all. */
function urlOf(store: Store): Promise<string> | undefined {
  if (store === "sqlite" || store === "memory") return undefined;
  const url = urls.get(store) ?? template(store);
  urls.set(store, url);
  return url;
}

async function run(spec: Spec, bug: boolean, lanes: number): Promise<Outcome> {
  const url = await urlOf(spec.store);
  // Each defect is reached within 4 steps. At full size, targets are explored further, because false findings may be deeper.
  return full
    ? runTarget(spec, { bug, lanes, url, depth: spec.seed % 10 === 0 ? 9 : 5 })
    : runTarget(spec, { bug, lanes, url, depth: 4, maxTime: 10 });
}

/**
 * Draws the number of lanes for a target. Fewer lanes are more likely, because a lane in a thread costs more than most of these runs; for the same reason
 * `npm test` uses one lane.
 */
function lanesOf({ seed }: Spec): number {
  return full ? new Draws(~seed).pick([1, 1, 1, 2, 2, 4]) : 1;
}

/**
 * Returns the fault of a run of a target with its defect, or of its correct twin; `undefined`: none. A run whose time was over first says so, and proves
 * nothing: every state is reached by replay there, or differs each time.
 */
function wrong(spec: Spec, bug: boolean, { status, explored, said }: Outcome): string | undefined {
  const found = explored?.violations.length ?? 0;
  const isFalse = bug ? modelOf(spec).path !== undefined && found === 0 && status === 0 && !isCut(explored) : found > 0;
  const isOver = explored !== undefined && (status === 0 || status === 1 || status === 3);
  return isFalse || !isOver
    ? `${JSON.stringify({ ...spec, bug })}: exit ${status}, ${explored?.verdict.text}\n${said.slice(-2_000)}`
    : undefined;
}

const isCut = (explored: Outcome["explored"]): boolean => explored?.stopReason === "max_time";

async function each(seeds: readonly number[], work: (spec: Spec) => Promise<readonly (string | undefined)[]>): Promise<readonly string[]> {
  const left = [...seeds];
  const found: string[] = [];
  const worker = async (): Promise<void> => {
    for (let seed = left.shift(); seed !== undefined; seed = left.shift())
      found.push(...(await work(specOf(seed, STORES))).filter((one) => one !== undefined));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return found;
}

describe("generated targets", { timeout: full ? 1_200_000 : 300_000 }, () => {
  it.each(batches(size(40, 1000), size(40, 20)))(
    "no run vouches for a defect, and none finds one in a correct twin, from seed $first on",
    async ({ first, count }) => {
      const seeds = Array.from({ length: count }, (_, index) => first + index);
      let proven = 0;
      const found = await each(seeds, async (spec) => {
        const faultOf = async (bug: boolean): Promise<string | undefined> => {
          const outcome = await run(spec, bug, lanesOf(spec));
          if (outcome.status === 1 || (outcome.status === 0 && !isCut(outcome.explored))) proven++;
          return wrong(spec, bug, outcome);
        };
        // In `npm test`, every second target has its defect, and the others are the correct twins.
        return full ? [await faultOf(true), await faultOf(false)] : [await faultOf(spec.seed % 2 === 0)];
      });
      expect(found.join("\n\n")).toBe("");
      // The other runs end with exit status 3, e.g. because of random answers, or because their time was over.
      expect(proven).toBeGreaterThanOrEqual((full ? 2 : 1) * count * 0.25);
    },
  );

  it.each([
    ["a probe shows the counter of a timer", 181, 1],
    ["lanes differ in the counter of a timer", 289, 2],
  ])("no run vouches for a defect, and none finds one in a correct twin: %s", async (_what, seed, lanes) => {
    const found = await each([seed], async (spec) =>
      Promise.all([true, false].map(async (bug) => wrong(spec, bug, await run(spec, bug, lanes)))),
    );
    expect(found.join("\n\n")).toBe("");
  });

  // In the quick suite e2e/one-answer and unit/property/engine compare numbers of lanes.
  it.runIf(full).each(batches(size(1, 60), 2))(
    "have one digest for every number of lanes, and each time, from seed $first on",
    async ({ first, count }) => {
      const seeds = Array.from({ length: count }, (_, index) => 10_000 + first + index);
      const found = await each(seeds, async (spec) => {
        const outcomes: Outcome[] = [];
        for (let times = 0; times < size(1, 3); times++) for (const lanes of LANES) outcomes.push(await run(spec, false, lanes));
        // A target whose answers are random, or that writes late, has no one answer: it is never vouched for.
        const vouched = outcomes.filter(({ status }) => status === 0);
        const digests = new Set(vouched.map(({ explored }) => explored!.digest));
        const isMixed = vouched.length > 0 && vouched.length < outcomes.length;
        return [
          digests.size > 1 || isMixed
            ? `${JSON.stringify(spec)}: ${outcomes.map(({ status, explored }) => `${status} ${explored?.digest}`).join(", ")}`
            : undefined,
        ];
      });
      expect(found.join("\n\n")).toBe("");
    },
  );
});
