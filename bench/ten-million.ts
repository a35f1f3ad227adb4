import { exploreCleanly } from "./support/explore.ts";
import { rate, type Job } from "./support/job.ts";
import type { Row } from "./support/row.ts";

/** The fixture has shelves with 0 to 9 boxes each, and a state for each combination. In each state, one action is tried for every shelf. */
const SHELVES = 7;
const PLACES = 10;
const STATES = PLACES ** SHELVES;
const TRANSITIONS = SHELVES * STATES;
const MOST_MIB = 1.2 * 1024;

/** Explores a model in memory with ten million states to exhaustion, in the main thread of a new process. */
export default async function tenMillion(): Promise<readonly Row[]> {
  const job: Job = { agent: "fixtures/shelves/memory.explore.ts", env: { SHELVES: String(SHELVES), PLACES: String(PLACES) } };
  const measured = await exploreCleanly(job);
  const { states, steps, stopReason, peakMemoryMiB } = measured;
  const { all, first, last, byCpu } = measured.tenths!;
  if (states !== STATES || steps !== TRANSITIONS || stopReason !== "exhausted")
    throw new Error(`It has ${STATES} states and ${TRANSITIONS} transitions; ${states} and ${steps} were found (${stopReason}).`);
  const note = `${states} states, ${steps} transitions`;
  return [
    { name: "exploring", value: rate(measured), unit: "transitions/s", note },
    { name: "peak memory of the process", value: peakMemoryMiB, unit: "MiB", note: `at most ${MOST_MIB} (1.2 GiB)` },
    { name: "last tenth to first", value: last / first, unit: "ratio", note: `at least 0.7; transitions/s by tenths: ${listed(all)}` },
    {
      name: "last tenth to first, by processor time",
      value: byCpu[9]! / byCpu[0]!,
      unit: "ratio",
      note: `transitions per second of it by tenths: ${listed(byCpu)}`,
    },
  ];
}

const listed = (rates: readonly number[]): string => rates.map((one) => Math.round(one).toLocaleString("en")).join(" ");
