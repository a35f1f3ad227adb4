import type { RunDocument } from "../../reports/index.ts";
import { readRun, type StoredRun } from "../../run-log/index.ts";
import type { ResumableInput } from "../resume/check-resumable.ts";
import type { RunEngine } from "./run-engine.ts";

export interface ResumedRun {
  readonly stored: StoredRun;
  /** The stored results of finished explorations, by exploration file. */
  readonly finished: ReadonlyMap<string, RunDocument["explorations"][number]>;
}

/** Returns the run to resume, with the results of its finished explorations. @throws SeqqaError if the run cannot be resumed */
export async function resumedRun({ checkResumable }: Pick<RunEngine, "checkResumable">, input: ResumableInput): Promise<ResumedRun> {
  const { stored, config } = input;
  const finished = await checkResumable(input);
  const entries = finished.size === 0 ? [] : readRun(config.report.outputDir, stored.id).data.document.explorations;
  return { stored, finished: new Map(entries.filter(({ file }) => finished.has(file)).map((entry) => [entry.file, entry])) };
}
