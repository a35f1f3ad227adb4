import { exploreCleanly } from "./support/explore.ts";
import { rate, type Job, type Measured } from "./support/job.ts";
import { full, median, type Row } from "./support/row.ts";
import { tableBytes } from "./support/table-bytes.ts";

const LEDGER: Job = { agent: "fixtures/ledger/memory.explore.ts" };
const STOCK: Job = { agent: "fixtures/stock/memory.explore.ts", env: { N: full ? "9" : "7" } };
const WAYS: Readonly<Record<string, Pick<Job, "lanes">>> = {
  inline: { lanes: 1 },
  "2 threads": { lanes: 2 },
};

/** Measures the engine alone: the fixtures are objects in memory, which actions access through the public API. */
export default async function memory(): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const [name, job] of Object.entries({ ledger: LEDGER, [full ? "stock n=9" : "stock n=7"]: STOCK })) {
    const runs = await rounds(job, full ? 3 : 1);
    for (const [way, measured] of Object.entries(runs)) {
      rows.push({ name: `${name}, ${way}`, value: median(measured.map(rate)), unit: "transitions/s", note: describe(measured[0]!) });
      const tenths = measured[0]!.tenths;
      if (tenths === undefined) continue;
      rows.push({ name: `${name}, ${way}: last tenth to first`, value: tenths.last / tenths.first, unit: "ratio", note: "at least 0.8" });
    }
    const inline = median(runs["inline"]!.map(rate));
    rows.push({
      name: `${name}: 2 threads to inline`,
      value: median(runs["2 threads"]!.map(rate)) / inline,
      unit: "ratio",
      note: "at least 0.9",
    });
    const { states } = runs["inline"]![0]!;
    rows.push({ name: `${name}: visited set and node table`, value: tableBytes(states) / states, unit: "bytes/state", note: "at most 64" });
  }
  return rows;
}

/** Runs every variant once per round. Every second round has the reverse order. */
async function rounds(job: Job, count: number): Promise<Record<string, Measured[]>> {
  const runs: Record<string, Measured[]> = Object.fromEntries(Object.keys(WAYS).map((way) => [way, []]));
  for (let round = 0; round < count; round++) {
    const order = round % 2 === 0 ? Object.entries(WAYS) : Object.entries(WAYS).reverse();
    for (const [way, options] of order) runs[way]!.push(await exploreCleanly({ ...job, ...options }));
  }
  const digests = new Set(Object.values(runs).flatMap((all) => all.map((measured) => measured.digest)));
  if (digests.size > 1) throw new Error(`Runs of one exploration have ${digests.size} digests.`);
  return runs;
}

function describe(measured: Measured): string {
  return `${measured.states} states, ${measured.steps} transitions, ${measured.stopReason}, ${measured.peakMemoryMiB} MiB`;
}
