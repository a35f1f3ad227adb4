import { readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { SeqqaError } from "../../model/errors.ts";
import { RUN_ID } from "../run-id.ts";
import { LOCK_SUFFIX, RunLock } from "../run-lock.ts";

/** The maximum number of run logs that are kept. Older run logs are deleted. */
const KEPT = 20;
/** The maximum number of runs that an error message about an unknown run lists. */
const NAMED = 5;
/** The suffix of a run log that is still being created. */
export const DRAFT_SUFFIX = ".new";
/** The suffixes of all files that belong to a run log. */
const BESIDE = ["", "-wal", "-shm", "-journal", LOCK_SUFFIX, DRAFT_SUFFIX, `${DRAFT_SUFFIX}-journal`];
/**
 * The age in milliseconds after which an incomplete run log (a draft) is deleted. Creating a run log takes moments, so the process of such a draft
 * has ended.
 */
const DRAFT_MAX_AGE_MS = 60 * 60 * 1000;

const folderOf = (outputDir: string): string => join(outputDir, "runs");

export const runFile = (outputDir: string, id: string): string => join(folderOf(outputDir), `${id}.db`);

/**
 * Deletes all but the newest 20 run logs, and run logs that were never completely created. Keeps run logs that a process is writing, and `own`, the
 * run log of the run that has just ended.
 */
export function dropOldRuns(outputDir: string, own: string): void {
  for (const old of runIds(outputDir).slice(0, -KEPT)) {
    const file = runFile(outputDir, old);
    if (file !== own) removeUnlessWritten(file);
  }
  for (const name of namesIn(folderOf(outputDir))) {
    const draft = join(folderOf(outputDir), name);
    const made = name.endsWith(`.db${DRAFT_SUFFIX}`) ? statSync(draft, { throwIfNoEntry: false }) : undefined;
    if (made !== undefined && Date.now() - made.mtimeMs > DRAFT_MAX_AGE_MS) removeRun(draft.slice(0, -DRAFT_SUFFIX.length));
  }
}

function removeUnlessWritten(file: string): void {
  let lock: RunLock;
  try {
    lock = new RunLock(file);
  } catch (error) {
    if (error instanceof SeqqaError) return;
    throw error;
  }
  removeRun(file);
  lock.release();
}

export function removeRun(file: string): void {
  for (const suffix of BESIDE) rmSync(`${file}${suffix}`, { force: true });
}

/** Returns the ids of the stored runs, oldest first. */
export function runIds(outputDir: string): readonly string[] {
  return namesIn(folderOf(outputDir))
    .filter((name) => name.endsWith(".db"))
    .map((name) => name.slice(0, -".db".length))
    .filter((id) => RUN_ID.test(id))
    .toSorted();
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) return [];
    throw error;
  }
}

export interface Found<T> {
  readonly id: string;
  readonly read: T;
  /** Sentences that say why newer runs could not be read and were skipped. */
  readonly skipped: readonly string[];
}

/**
 * Reads the given run, or else the newest run that can be read.
 *
 * @throws SeqqaError `NO_SUCH_RUN` with exit status 2, and errors of `read`
 */
export function findRun<T>(outputDir: string, id: string | undefined, read: (file: string) => T): Found<T> {
  const ids = runIds(outputDir);
  if (id !== undefined && ids.includes(id)) return { id, read: read(runFile(outputDir, id)), skipped: [] };
  if (id !== undefined || ids.length === 0) throw noSuchRun(outputDir, id, ids);
  const refused: SeqqaError[] = [];
  for (const one of ids.toReversed()) {
    try {
      return { id: one, read: read(runFile(outputDir, one)), skipped: refused.map(({ message }) => message) };
    } catch (error) {
      if (!(error instanceof SeqqaError) || error.code !== "RUN_UNREADABLE") throw error;
      refused.push(error);
    }
  }
  throw refused[0]!;
}

function noSuchRun(outputDir: string, id: string | undefined, ids: readonly string[]): SeqqaError {
  const newest = ids.slice(-NAMED).toReversed();
  const hint =
    newest.length === 0
      ? "Start a run with seqqa run <directory>, or choose another configuration with --config <file>."
      : `${ids.length === 1 ? "The only stored run is" : "The newest stored runs are"}: ${newest.join(", ")}${ids.length > NAMED ? ` and ${ids.length - NAMED} older` : ""}.`;
  const what = id === undefined || ids.length === 0 ? `No run is stored in ${folderOf(outputDir)}` : `Run not found: ${id}`;
  return new SeqqaError("NO_SUCH_RUN", `${what}.`, { exitStatus: 2, hint });
}
