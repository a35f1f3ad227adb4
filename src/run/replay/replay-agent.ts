import { allowedStores, loadConfig, resolveExploration } from "../../config/index.ts";
import type { AgentDefinition } from "../../model/declare/agent.ts";
import type { ReplayOptions, ReplayResult } from "../../model/results/replay.ts";
import { replay } from "./replay.ts";
import { withRunDirectory } from "../prepare/run-directory.ts";
import { withServices } from "../prepare/with-services.ts";

/** Implements `agent.replay()`. The lane runs in this thread and uses the agent object that the caller created. */
export async function replayAgent(
  definition: AgentDefinition<never, never>,
  path: readonly string[],
  options: ReplayOptions,
): Promise<ReplayResult> {
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
