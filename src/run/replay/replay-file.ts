import { existsSync } from "node:fs";
import { SeqqaError } from "../../model/errors.ts";
import type { ReplayResult } from "../../model/results/replay.ts";
import { loadExploration } from "../prepare/load-exploration.ts";
import { replay, type ReplayInput } from "./replay.ts";
import { withRunDirectory } from "../prepare/run-directory.ts";

export interface ReplayFileInput extends Omit<ReplayInput, "definition" | "directory" | "literals"> {
  /** The path of the `*.explore.*` file. */
  readonly entry: string;
}

/** @throws SeqqaError `EXPLORATION_GONE` if the file does not exist */
export function refuseGone(entry: string): void {
  if (existsSync(entry)) return;
  throw new SeqqaError("EXPLORATION_GONE", `The file of the exploration does not exist: ${entry}.`, {
    exitStatus: 2,
    hint: "Replay in the folder that it was run in, with --output for its reports; if the file was moved, run it again.",
  });
}

/** Loads an exploration file and executes one path. @throws SeqqaError */
export async function replayFile({ entry, ...input }: ReplayFileInput): Promise<ReplayResult> {
  refuseGone(entry);
  return withRunDirectory(async (directory) => {
    const { definition, module } = await loadExploration(entry, directory);
    return replay({ ...input, definition, directory, literals: module.literals });
  });
}
