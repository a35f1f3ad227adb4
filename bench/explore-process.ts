// Entry of the processes that bench/support/explore.ts starts: one exploration, its figures to the parent.
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Agent, BFS, CoverageGuided, DFS, Random, type ExplorationEvent } from "seqqa";
import type { Job, Measured } from "./support/job.ts";
import { Timeline } from "./support/timeline.ts";

const STRATEGIES = { bfs: BFS, dfs: DFS, random: Random, coverage_guided: CoverageGuided };

const root = process.env["SEQQA_ROOT"]!;
const job = JSON.parse(process.argv[2]!) as Job;
const bundled = new URL(`agents/${job.agent.replace(/\.m?ts$|\.m?js$/, "")}.mjs`, import.meta.url);
const { agent: declared } = (await import(bundled.href)) as { readonly agent: Agent };

const agent = new Agent({
  name: declared.name ?? "bench",
  world: declared.world!,
  actions: declared.actions,
  invariants: declared.invariants,
  ...(declared.setup === undefined ? {} : { setup: declared.setup }),
  strategy: new STRATEGIES[job.strategy ?? declared.strategy?.kind ?? "bfs"](),
  maxSteps: job.maxSteps ?? declared.maxSteps ?? 1_000_000,
  seed: job.seed ?? 0,
  stopOnFirstViolation: job.stopOnFirstViolation ?? false,
});

const timeline = new Timeline();
const lanes = job.lanes ?? 1;
const result = await agent.explore({
  parallel: lanes,
  ...(lanes > 1 ? { module: pathToFileURL(join(root, job.agent)).href } : {}),
  ...(job.config === undefined ? {} : { config: join(root, job.config) }),
  onEvent: (event: ExplorationEvent) => timeline.note(event),
});

const measured: Measured = {
  states: result.statesVisited,
  steps: result.steps,
  replayed: result.replayed,
  crossChecked: result.crossChecked,
  speculative: result.speculative,
  open: result.open,
  stopReason: result.stopReason,
  digest: result.digest,
  violations: result.violations.map((violation) => violation.invariant),
  errors: result.errors.map((error) => error.message),
  divergences: result.divergences.map((divergence) => divergence.message),
  notes: result.notes,
  raceCoverage: result.raceCoverage,
  exploringMs: timeline.exploringMs,
  durationMs: result.durationMs,
  tenths: timeline.tenths(),
  peakMemoryMiB: Math.round(process.resourceUsage().maxRSS / 1024),
};
process.send!(measured, () => process.disconnect());
