import { explore } from "./support/explore.ts";
import type { Job } from "./support/job.ts";
import { full, median, type Row } from "./support/row.ts";

const STRATEGIES = ["bfs", "dfs", "random", "coverage_guided"] as const;
const SEEDED: ReadonlySet<string> = new Set(["random", "coverage_guided"]);
const FIXTURES = ["shop", "ledger", "stock", "login", "double-delete", "stale-read", "order-dependent", "idempotency", "deep"];
const SEEDS = full ? 20 : 3;
const MOST_STEPS = 50_000;

/** Steps until the planted bug of each fixture is found. */
export default async function strategies(): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const fixture of FIXTURES) {
    for (const strategy of STRATEGIES) {
      const job: Job = {
        // The same API in memory where there is one: the steps are the same, and there are many.
        agent: fixture === "deep" ? "fixtures/deep/memory.explore.ts" : `fixtures/${fixture}/${fixture}.explore.ts`,
        ...(fixture === "deep" ? {} : { config: `fixtures/${fixture}/seqqa.yaml` }),
        strategy,
        maxSteps: MOST_STEPS,
        stopOnFirstViolation: true,
        env: { BUG: "1" },
      };
      const steps: number[] = [];
      let missed = 0;
      for (let seed = 0; seed < (SEEDED.has(strategy) ? SEEDS : 1); seed++) {
        const measured = await explore({ ...job, seed });
        steps.push(measured.steps);
        if (measured.violations.length === 0) missed++;
      }
      const seeds = steps.length > 1 ? `median of ${steps.length} seeds, ${Math.min(...steps)} to ${Math.max(...steps)}` : undefined;
      rows.push({
        name: `${fixture}, ${strategy}`,
        value: median(steps),
        unit: "steps",
        note: missed > 0 ? `not found by ${missed} of ${steps.length}` : seeds,
      });
    }
  }
  return rows;
}
