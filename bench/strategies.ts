import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { beds, type Bed } from "./strategies/bed.ts";
import { plot } from "./strategies/plot.ts";
import type { BedResult } from "./strategies/run-bed.ts";
import { summarise, type BedSummary } from "./strategies/summary.ts";
import { table } from "./strategies/table.ts";
import { answerOf } from "./support/answer-of.ts";
import type { Origin } from "./support/origin.ts";

/**
 * `npm run bench:strategies [-- --seeds 20 --only name]`: measures how soon each strategy finds the planted bugs of the fixtures. Prints a table.
 * Without `--only`, also writes bench/strategies.json and bench/strategies.svg.
 * @throws Error for invalid options
 */
export default async function strategies(args: readonly string[], origin: Origin): Promise<void> {
  const { values } = parseArgs({ args: [...args], options: { seeds: { type: "string", default: "20" }, only: { type: "string" } } });
  const seeds = Number(values.seeds);
  if (!Number.isInteger(seeds) || seeds < 1) throw new Error(`--seeds takes a number from 1, not ${values.seeds}.`);
  const { only } = values;
  const chosen = beds.filter(({ name }) => only === undefined || name.includes(only));
  if (chosen.length === 0) throw new Error(`No name has "${only}" in it; there are ${beds.map(({ name }) => name).join("; ")}.`);
  const summaries: BedSummary[] = [];
  for (const bed of chosen) {
    const summary = summarise(await ranBed(bed, seeds));
    process.stdout.write(`${table([summary])}\n`);
    summaries.push(summary);
  }
  if (only !== undefined) return;
  const root = process.env["SEQQA_ROOT"]!;
  writeFileSync(join(root, "bench/strategies.json"), `${JSON.stringify({ ...origin, seeds, beds: summaries }, null, 2)}\n`);
  writeFileSync(join(root, "bench/strategies.svg"), plot(summaries, `${seeds} seeds, ${origin.machine.cpu}, ${origin.date.slice(0, 10)}`));
}

/** Measures a fixture in its own process, because fixtures in memory read the variable that enables their bug when their module is loaded. */
function ranBed(bed: Bed, seeds: number): Promise<BedResult> {
  return answerOf<BedResult>(new URL("strategies-process.mjs", import.meta.url), [bed.name, String(seeds)], bed.env);
}
