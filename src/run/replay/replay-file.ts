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

/** Checks that the exploration file still exists. @throws SeqqaError `EXPLORATION_GONE` if it does not */
export function refuseGone(entry: string): void {
  if (existsSync(entry)) return;
  throw new SeqqaError("EXPLORATION_GONE", `The exploration file ${entry} does not exist.`, {
    exitStatus: 2,
    hint: "Run seqqa replay in the folder in which you ran seqqa run, and give the folder of the reports with --output. If the file was moved, run the exploration again.",
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
