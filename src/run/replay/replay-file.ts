import type { ReplayResult } from "../../model/results/replay.ts";
import { loadExploration } from "../prepare/load-exploration.ts";
import { refuseGone } from "./refuse-gone.ts";
import { replay, type ReplayInput } from "./replay.ts";
import { withRunDirectory } from "../prepare/run-directory.ts";

export interface ReplayFileInput extends Omit<ReplayInput, "definition" | "directory" | "literals"> {
  /** The path of the `*.explore.*` file. */
  readonly entry: string;
}

/** Loads an exploration file and executes one path. @throws SeqqaError */
export async function replayFile({ entry, ...input }: ReplayFileInput): Promise<ReplayResult> {
  refuseGone(entry);
  return withRunDirectory(async (directory) => {
    const { definition, module } = await loadExploration(entry, directory);
    return replay({ ...input, definition, directory, literals: module.literals });
  });
}
