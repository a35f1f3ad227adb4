import { answerOf } from "./support/answer-of.ts";
import { exploreCleanly } from "./support/explore.ts";
import type { Measured } from "./support/job.ts";
import type { MeasuredSide } from "./peers/measured-side.ts";
import { full, median, type Row } from "./support/row.ts";

const ROUNDS = full ? 3 : 1;
const REQUESTS = full ? 100_000 : 30_000;
const LANES = 2;
/** The number of transitions of the whole ledger. */
const TRANSITIONS = 187_525;
/** The steps per second of another tool that explores sequences of calls: over HTTP, for 5,000 steps, on a machine with two cores. */
const PEER = 353;

/**
 * Explores the ledger to exhaustion over HTTP and SQLite with two lanes, each with its own server process. For comparison, it also measures bare
 * loops of undici, one for each lane and server process, because ratios are comparable between machines. Every run is in a new process. Every second
 * round has the reverse order.
 */
export default async function httpLedger(): Promise<readonly Row[]> {
  const runs: Measured[] = [];
  const loops: number[] = [];
  const bare: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const order = [
      async () => void runs.push(await exhausted()),
      async () => void loops.push(await loopsAtOnce("bare requests")),
      async () => void bare.push(await loopsAtOnce("bare server")),
    ];
    for (const measure of round % 2 === 0 ? order : order.reverse()) await measure();
  }
  const rate = median(runs.map(({ steps, exploringMs }) => (steps / exploringMs) * 1000));
  const whole = median(runs.map(({ steps, durationMs }) => (steps / durationMs) * 1000));
  const tenths = runs.map((run) => run.tenths!);
  const shown = tenths.at(-1)!.all.map((one) => Math.round(one).toLocaleString("en"));
  const [{ replayed, crossChecked, speculative }] = runs as [Measured];
  return [
    {
      name: "to exhaustion",
      value: rate,
      unit: "steps/s",
      note: `${TRANSITIONS} steps, 2 lanes; ${replayed} replayed, ${crossChecked} cross-checked, ${speculative} speculative`,
    },
    { name: "with the start of targets and lanes", value: whole, unit: "steps/s" },
    { name: `with it, to ${PEER} steps/s`, value: whole / PEER, unit: "ratio", note: "at least 15, 20 the aim" },
    {
      name: "last tenth to first",
      value: median(tenths.map(({ first, last }) => last / first)),
      unit: "ratio",
      note: `at least 0.9; steps/s by tenths: ${shown.join(" ")}`,
    },
    {
      name: "CPU of a step",
      value: median(runs.map(({ steps, cpuMs }) => (cpuMs / steps) * 1000)),
      unit: "us",
      note: "without the targets",
    },
    { name: "2 bare loops, the ledger's servers", value: median(loops), unit: "requests/s", note: "nothing checked, observed or put back" },
    { name: "2 bare loops, bare servers", value: median(bare), unit: "requests/s", note: "one constant answer, no store" },
    { name: "to exhaustion to 2 bare loops", value: rate / median(loops), unit: "ratio" },
  ];
}

async function exhausted(): Promise<Measured> {
  const job = { agent: "fixtures/ledger/ledger.explore.ts", config: "fixtures/ledger/seqqa.yaml", lanes: LANES };
  const measured = await exploreCleanly(job);
  if (measured.steps !== TRANSITIONS) throw new Error(`${measured.steps} steps are not the ${TRANSITIONS} of the whole ledger.`);
  return measured;
}

/** Returns the sum of the requests per second of bare loops that run at the same time, one for each lane. */
async function loopsAtOnce(side: string): Promise<number> {
  const one = (): Promise<MeasuredSide> => answerOf<MeasuredSide>(new URL("peer-process.mjs", import.meta.url), [side, String(REQUESTS)]);
  const measured = await Promise.all(Array.from({ length: LANES }, one));
  return measured.reduce((sum, { steps, ms }) => sum + (steps / ms) * 1000, 0);
}
