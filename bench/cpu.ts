import { exploreCleanly } from "./support/explore.ts";
import { rate, type Job } from "./support/job.ts";
import { full, type Row } from "./support/row.ts";

/** Explores a target that computes for 2 ms in each request. Two lanes can at best double the rate, if the machine has enough free cores. */
export default async function cpu(): Promise<readonly Row[]> {
  const job: Job = {
    agent: "fixtures/ledger/ledger.explore.ts",
    config: "fixtures/ledger/seqqa.yaml",
    maxSteps: full ? 20_000 : 2_000,
    env: { SPIN_MS: "2" },
  };
  const one = rate(await exploreCleanly({ ...job, lanes: 1 }));
  const two = rate(await exploreCleanly({ ...job, lanes: 2 }));
  return [
    { name: "1 lane", value: one, unit: "steps/s" },
    { name: "2 lanes", value: two, unit: "steps/s" },
    { name: "2 lanes to 1", value: two / one, unit: "ratio", note: "at least 1.6" },
  ];
}
