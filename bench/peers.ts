import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { MeasuredSide } from "./peers/measured-side.ts";
import { compare, type Comparison, type Side } from "./peers/compare.ts";
import { answerOf } from "./support/answer-of.ts";
import { exploreCleanly } from "./support/explore.ts";
import type { Job } from "./support/job.ts";
import type { Origin } from "./support/origin.ts";

/** The number of transitions of the ledger in memory. */
const TRANSITIONS = 187_525;
const HTTP_STEPS = 50_000;

/**
 * `npm run bench:peers [-- --rounds 5 --steps n]`: compares seqqa with alternatives in one run. In each round, every side runs in a new process.
 * Every second round has the reverse order. `--steps` is for a quick try: it sends fewer requests, and writes no file.
 * @throws Error for invalid options
 */
export default async function peers(args: readonly string[], origin: Origin): Promise<void> {
  const { values } = parseArgs({ args: [...args], options: { rounds: { type: "string", default: "5" }, steps: { type: "string" } } });
  const rounds = positive("--rounds", values.rounds);
  const steps = values.steps === undefined ? HTTP_STEPS : positive("--steps", values.steps);
  const comparisons = [
    await compare("ledger in memory", inMemory(TRANSITIONS), rounds),
    await compare("ledger over HTTP", http(steps), rounds),
  ];
  for (const one of comparisons) process.stdout.write(`${text(one)}\n`);
  if (values.steps !== undefined) return;
  writeFileSync(join(process.env["SEQQA_ROOT"]!, "bench/peers.json"), `${JSON.stringify({ ...origin, rounds, comparisons }, null, 2)}\n`);
}

function inMemory(transitions: number): readonly Side[] {
  return [
    {
      name: "seqqa",
      what: "breadth first to exhaustion, in the main thread; both invariants after every step, the state put back, changes found and canonicalised, paths, statuses and digest kept, steps cross-checked by sample",
      run: async () => {
        const measured = await seqqa({ agent: "fixtures/ledger/memory.explore.ts" });
        if (measured.steps !== transitions) throw new Error(`seqqa made ${measured.steps} transitions, not ${transitions}.`);
        return measured;
      },
    },
    {
      name: "fast-check commands",
      what: `fc.commands and fc.asyncModelRun over the same actions, at random, up to 50 from an empty ledger, until ${transitions} are executed; both invariants after every command; nothing put back but by beginning anew, no state recognised, so the same ones are met again and again`,
      run: () => peer("model-based", transitions),
    },
    {
      name: "breadth-first loop",
      what: "breadth first to exhaustion over the same actions, states as JSON in a Set, put back by JSON.parse, both invariants after every step; no paths, statuses, findings or budgets",
      run: async () => {
        const measured = await peer("breadth-first", 0);
        if (measured.steps !== transitions) throw new Error(`The loop made ${measured.steps} transitions, not ${transitions}.`);
        return measured;
      },
    },
  ];
}

function http(steps: number): readonly Side[] {
  return [
    {
      name: "seqqa",
      what: `breadth first, ${steps} steps, one lane, a server process with a SQLite file put back by its journal; three invariants, two of them as queries of the store; otherwise as in the first comparison`,
      run: () =>
        seqqa({
          agent: "bench/agents/ledger.explore.ts",
          config: "fixtures/ledger/seqqa.yaml",
          maxSteps: steps,
          env: { CHECKPOINT: "journal" },
        }),
    },
    {
      name: "undici loop",
      what: `the same kinds of requests on one connection, ${steps} of them, bodies read; nothing checked, observed or put back (\`npm run bench -- limit\` compares with a loop that puts back)`,
      run: () => peer("bare requests", steps),
    },
  ];
}

async function seqqa(job: Job): Promise<MeasuredSide> {
  const { steps, exploringMs, states, accepted } = await exploreCleanly({ ...job, lanes: 1, strategy: "bfs" });
  return { steps, ms: exploringMs, states, accepted };
}

const peer = (side: string, steps: number): Promise<MeasuredSide> =>
  answerOf<MeasuredSide>(new URL("peer-process.mjs", import.meta.url), [side, String(steps)]);

function text({ name, sides }: Comparison): string {
  const lines = sides.flatMap(({ name: side, what, perSecond, statesPerSecond, seqqaToIt, rounds }) => [
    `  ${side.padEnd(20)} ${Math.round(perSecond).toLocaleString("en").padStart(12)} steps/s   seqqa / it ${seqqaToIt.toFixed(2)}${
      statesPerSecond === null ? "" : `   ${Math.round(statesPerSecond).toLocaleString("en")} new states/s (${rounds[0]!.states} in all)`
    }${rounds[0]!.accepted === undefined ? "" : `   ${(rounds[0]!.accepted * 100).toFixed(0)} % accepted`}`,
    `    ${what}`,
  ]);
  return `${[name, ...lines].join("\n")}\n`;
}

function positive(option: string, value: string): number {
  const number = Number(value);
  if (!Number.isInteger(number) || number < 1) throw new Error(`${option} takes a number from 1, not ${value}.`);
  return number;
}
