import { existsSync } from "node:fs";
import { SeqqaError } from "../model/errors.ts";
import type { ReplayResult } from "../model/replay.ts";
import { loadExploration } from "./load-exploration.ts";
import { replay, type ReplayInput } from "./replay.ts";
import { withRunDirectory } from "./run-directory.ts";

export interface ReplayFileInput extends Omit<ReplayInput, "definition" | "directory" | "literals"> {
  /** The `*.explore.*` file. */
  readonly entry: string;
}

/** Loads an exploration file and executes a path of it. @throws SeqqaError */
export async function replayFile({ entry, ...input }: ReplayFileInput): Promise<ReplayResult> {
  if (!existsSync(entry)) {
    throw new SeqqaError("EXPLORATION_GONE", `The exploration ${entry} that the finding is of is not there any more.`, {
      exitStatus: 2,
      hint: "Run the command in the folder that the exploration was run in, or explore again.",
    });
  }
  return withRunDirectory(async (directory) => {
    const { definition, module } = await loadExploration(entry, directory);
    return replay({ ...input, definition, directory, literals: module.literals });
  });
}
