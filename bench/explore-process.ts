// The entry of the processes that bench/support/explore.ts starts. Each runs one exploration and sends its figures to the parent process.
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { ExplorationEvent, ExplorationResult } from "seqqa";
import { agentOf, declaredAgent } from "./support/agent-of.ts";
import type { Job, Measured } from "./support/job.ts";
import { Timeline } from "./support/timeline.ts";

const root = process.env["SEQQA_ROOT"]!;
const job = JSON.parse(process.argv[2]!) as Job;
const declared = await declaredAgent(job.agent);
const agent = agentOf(declared, {
  strategy: job.strategy,
  maxSteps: job.maxSteps ?? declared.maxSteps ?? 1_000_000,
  seed: job.seed ?? 0,
  stopOnFirstViolation: job.stopOnFirstViolation ?? false,
});

const cpu = (): number => (process.cpuUsage().user + process.cpuUsage().system) / 1000;
const cpuBefore = cpu();
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
  accepted: accepted(result) / result.steps,
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
  cpuMs: cpu() - cpuBefore,
  peakMemoryMiB: Math.round(process.resourceUsage().maxRSS / 1024),
};
process.send!(measured, () => process.disconnect());

function accepted({ coverage }: ExplorationResult): number {
  const statuses = Object.values(coverage.actions).flatMap((action) => Object.entries(action.statuses));
  return statuses.reduce((sum, [status, count]) => (status.startsWith("2") ? sum + count : sum), 0);
}
