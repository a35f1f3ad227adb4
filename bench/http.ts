import { exploreCleanly } from "./support/explore.ts";
import { rate } from "./support/job.ts";
import { full, type Row } from "./support/row.ts";

const SERVER = { agent: "bench/agents/ledger.explore.ts", config: "fixtures/ledger/seqqa.yaml" };
const IN_PROCESS = { agent: "bench/in-process/ledger.explore.ts", config: "bench/in-process/seqqa.yaml" };

/**
 * Measures each checkpoint mode of SQLite with one server process and one SQLite file per lane. The savepoint mode needs an API in the lane's thread,
 * so it has no server process.
 */
export default async function http(): Promise<readonly Row[]> {
  const rows: Row[] = [];
  const sizes = { journal: full ? 100_000 : 20_000, copy: full ? 5_000 : 1_000, savepoint: full ? 100_000 : 20_000 };
  for (const [mode, maxSteps] of Object.entries(sizes)) {
    for (const lanes of [1, 2]) {
      const measured = await exploreCleanly({
        ...(mode === "savepoint" ? IN_PROCESS : SERVER),
        lanes,
        maxSteps,
        env: { CHECKPOINT: mode },
      });
      const note = `${measured.steps} steps, ${(measured.replayed / measured.steps).toFixed(3)} replays a step`;
      rows.push({ name: `${mode}, ${lanes} ${lanes === 1 ? "lane" : "lanes"}`, value: rate(measured), unit: "steps/s", note });
    }
  }
  return rows;
}
