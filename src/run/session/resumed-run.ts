import type { RunDocument } from "../../reports/index.ts";
import { readFindings, readRun, type StoredRun } from "../../run-log/index.ts";
import type { KeptReason, ResumableInput } from "../resume/check-resumable.ts";
import { storedFailures, type StoredFailure } from "../shards/merge-explorations.ts";
import type { RunEngine } from "./run-engine.ts";

/** The stored result of an exploration that the resumed run does not continue. */
export interface KeptResult {
  readonly reason: KeptReason;
  /** The result; `undefined` if the exploration failed. */
  readonly entry: RunDocument["explorations"][number] | undefined;
}

export interface ResumedRun {
  readonly stored: StoredRun;
  /** The stored results that are kept, by exploration file. */
  readonly kept: ReadonlyMap<string, KeptResult>;
  /** The files that ended without a result. */
  readonly failures: readonly StoredFailure[];
}

/** Returns the run to resume, with the results of the explorations that it does not continue. @throws SeqqaError if the run cannot be resumed */
export async function resumedRun({ checkResumable }: Pick<RunEngine, "checkResumable">, input: ResumableInput): Promise<ResumedRun> {
  const { stored, config } = input;
  const kept = await checkResumable(input);
  // Read the graphs only if results are kept, because kept results refer to the nodes of their graphs by number, and reading graphs takes long.
  const read = kept.size === 0 ? readFindings : readRun;
  const { document } = read(config.report.outputDir, stored.id).data;
  const entries = document.explorations;
  return {
    stored,
    kept: new Map([...kept].map(([file, reason]) => [file, { reason, entry: entries.find((entry) => entry.file === file) }])),
    failures: storedFailures([document]),
  };
}
