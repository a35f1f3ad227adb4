import { dirname, resolve } from "node:path";
import { SeqqaError } from "../../model/errors.ts";
import type { WalkJudged } from "../../model/results/walked.ts";
import { printable } from "../../reports/index.ts";
import { readStoredRun, type StoredExploration } from "../../run-log/index.ts";
import type { ExitStatus } from "../../run/session/exit-status.ts";
import { configFor } from "../arguments/config-for.ts";
import { isFileOfExploration, oneExploration } from "../arguments/one-exploration.ts";
import type { Shell } from "../process/shell.ts";
import { shownPath } from "../process/shown-path.ts";
import { handsOn, type LaneFlags, laneFlags } from "../run/hands-on.ts";
import type { Machinery } from "../run/machinery.ts";

export interface TryOptions extends LaneFlags {
  /** `true` if the lane stays in the last state until the user presses Ctrl-C. */
  readonly keep?: boolean;
  readonly inspect?: boolean;
  readonly seed?: string;
}

export interface TryInput {
  readonly named: string;
  readonly actions: readonly string[];
  readonly options: TryOptions;
}

/**
 * Runs `seqqa try`: executes the actions that the user names, and shows each step. Returns exit status 0 if all rules held, 1 if a rule was broken,
 * and 3 if an action did not apply or threw an error.
 */
export async function tryCommand({ named, actions, options }: TryInput, shell: Shell, machinery: Machinery): Promise<ExitStatus> {
  const directory = isFileOfExploration(named, shell.cwd) ? dirname(resolve(shell.cwd, named)) : ".";
  const flags = options.seed === undefined ? [] : [{ key: "exploration.seed", flag: "--seed", value: options.seed }];
  const config = configFor(shell, { directory, ...laneFlags(options, flags) });
  const { file, name } = await oneExploration(named, config, shell, machinery);
  const known = storedOf(config.report.outputDir, shownPath(file, shell.cwd))?.beginning;
  const hands = { shell, machinery, verbose: options.verbose === true, inspect: options.inspect === true };
  return handsOn({ entry: file, config, actions, known }, hands, async (walk, output, keep) => {
    output.print(`${printable(name)} (${printable(shownPath(file, shell.cwd))})`);
    const root = await walk.judgeRoot();
    output.root(root);
    let status = statusOf(root);
    let isWhole = true;
    for (const [index, action] of actions.entries()) {
      const step = await walk.step(action);
      output.step(index + 1, step);
      if (statusOf(step) === 1) status = 1;
      isWhole = step.kind === "executed";
      if (step.errors.length > 0 && status === 0) status = 3;
      if (!isWhole) break;
    }
    if (!isWhole && status === 0) status = 3;
    output.place(await walk.place());
    return options.keep === true ? keep(status) : status;
  });
}

function statusOf({ broken, errors }: WalkJudged): ExitStatus {
  if (broken.length > 0) return 1;
  return errors.length > 0 ? 3 : 0;
}

/**
 * Returns the exploration from the last run that stored it, so that states get the same ids as in the reports of that run. Returns `undefined` if no
 * run stored it.
 */
function storedOf(outputDir: string, file: string): StoredExploration | undefined {
  try {
    return readStoredRun(outputDir, undefined).explorations.find((one) => one.file === file);
  } catch (error) {
    if (error instanceof SeqqaError) return undefined;
    throw error;
  }
}
