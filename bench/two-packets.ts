import { exploreCleanly } from "./support/explore.ts";
import { rate, type Job } from "./support/job.ts";
import { full, median, type Row } from "./support/row.ts";

const ROUNDS = 5;
const STEPS = full ? 20_000 : 5_000;
const LEAST = 0.5;

/**
 * Explores the ledger of a Python server over HTTP and SQLite with one lane. In one variant, the server sends each answer in one write; in the other,
 * it sends head and body in two writes. Two writes cost 40 ms per request on a connection that is kept open. The variants take turns.
 */
export default async function twoPackets(): Promise<readonly Row[]> {
  const once: number[] = [];
  const twice: number[] = [];
  const digests = new Set<string>();
  let noted = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const order = round % 2 === 0 ? ["1", "2"] : ["2", "1"];
    for (const writes of order) {
      const job: Job = {
        agent: "fixtures/ledger/ledger.explore.ts",
        config: "fixtures/ledger/python.yaml",
        maxSteps: STEPS,
        env: { WRITES: writes },
      };
      const measured = await exploreCleanly(job);
      (writes === "1" ? once : twice).push(rate(measured));
      digests.add(measured.digest);
      if (measured.notes.some((note) => note.includes("two packets"))) noted++;
    }
  }
  if (digests.size !== 1) throw new Error(`The digests of one write and of two differ: ${[...digests].join(", ")}.`);
  return [
    { name: "one write", value: median(once), unit: "steps/s", note: `${STEPS} steps, one lane, median of ${ROUNDS}` },
    { name: "two writes", value: median(twice), unit: "steps/s", note: `noted in ${noted} of ${ROUNDS} runs` },
    {
      name: "two writes to one",
      value: median(twice.map((value, round) => value / once[round]!)),
      unit: "ratio",
      note: `at least ${LEAST}; the digests are equal`,
    },
  ];
}
