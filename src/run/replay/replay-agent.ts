import { allowedStores, loadConfig, resolveExploration } from "../../config/index.ts";
import type { AgentDefinition } from "../../model/declare/agent.ts";
import { refuseUnknown } from "../../model/declare/unknown-options.ts";
import type { RaceReplay, ReplayOptions, ReplayResult } from "../../model/results/replay.ts";
import type { RaceSchedule } from "../../model/results/result.ts";
import { replay } from "./replay.ts";
import { withRunDirectory } from "../prepare/run-directory.ts";
import { withServices } from "../prepare/with-services.ts";

const OPTIONS: readonly (keyof ReplayOptions)[] = ["config", "seed", "draws", "nextSecond", "rule", "race", "signal"];
const RACE_OPTIONS: readonly (keyof RaceReplay)[] = ["actions", "trials", "delivery", "schedule", "verdict", "invariant"];
const SCHEDULE_OPTIONS: readonly (keyof RaceSchedule)[] = ["system", "held", "write", "statement"];

/** Implements `agent.replay()`. The lane runs in this thread and uses the agent object that the caller created. */
export async function replayAgent(
  definition: AgentDefinition<never, never>,
  path: readonly string[],
  options: ReplayOptions,
): Promise<ReplayResult> {
  refuseUnknown("replay()", "USAGE", options, OPTIONS);
  refuseUnknown("The option race of replay()", "USAGE", options.race ?? {}, RACE_OPTIONS);
  refuseUnknown("The option race.schedule of replay()", "USAGE", options.race?.schedule ?? {}, SCHEDULE_OPTIONS);
  const config = loadConfig({
    file: options.config,
    env: options.config === undefined ? {} : process.env,
    allowedStores: allowedStores([], process.env),
  });
  const signal = options.signal ?? new AbortController().signal;
  const seed = options.seed ?? resolveExploration(config, definition).seed;
  const problems: Error[] = [];
  const work = (): Promise<ReplayResult> =>
    withRunDirectory((directory) => replay({ ...options, definition, config, directory, signal, path, seed }));
  const replayed = await withServices(config, { signal, onProblem: (error) => problems.push(error) }, work);
  if (replayed === undefined) throw signal.reason;
  if (problems.length > 0) throw problems[0]!;
  return replayed;
}
