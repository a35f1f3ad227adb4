import { exploreCleanly } from "./support/explore.ts";
import { rate, type Job } from "./support/job.ts";
import { full, type Row } from "./support/row.ts";

const STRATEGIES = full ? (["bfs", "dfs", "random", "coverage_guided"] as const) : (["bfs", "dfs"] as const);

/** Explores a target that waits 5 ms in each request, with 1 to 16 lanes. The figures show how well the engine keeps all lanes busy. */
export default async function lanes(): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const maxSteps of full ? [1_000, 20_000] : [1_000]) {
    for (const strategy of STRATEGIES) {
      let alone = 0;
      for (const count of [1, 2, 4, 8, 16]) {
        const job: Job = {
          agent: "fixtures/ledger/ledger.explore.ts",
          config: "fixtures/ledger/seqqa.yaml",
          lanes: count,
          strategy,
          maxSteps,
          env: { WAIT_MS: "5" },
        };
        const measured = await exploreCleanly(job);
        const perSecond = rate(measured);
        if (count === 1) alone = perSecond;
        rows.push({
          name: `${strategy}, ${maxSteps} steps, ${count} lanes`,
          value: perSecond / alone,
          unit: "times one lane",
          note: `${perSecond.toFixed(0)} steps/s, ${measured.replayed} replayed, ${measured.speculative} speculative`,
        });
      }
    }
  }
  return rows;
}
