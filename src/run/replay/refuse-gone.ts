import { existsSync } from "node:fs";
import { SeqqaError } from "../../model/errors.ts";

/** Checks that the exploration file still exists. @throws SeqqaError `EXPLORATION_GONE` if it does not */
export function refuseGone(entry: string): void {
  if (existsSync(entry)) return;
  throw new SeqqaError("EXPLORATION_GONE", `The exploration file ${entry} does not exist.`, {
    exitStatus: 2,
    hint: "Run seqqa replay in the folder in which you ran seqqa run, and give the folder of the reports with --output. If the file was moved, run the exploration again.",
  });
}
