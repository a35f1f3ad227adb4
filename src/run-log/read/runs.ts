import { readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { SeqqaError } from "../../model/errors.ts";
import { RUN_ID } from "../run-id.ts";
import { LOCK_SUFFIX } from "../run-lock.ts";

/** How many runs are kept. */
const KEPT = 20;
/** How many are named when another one was asked for. */
const NAMED = 5;
/** The name of a store that is being made, after that of its file. */
export const DRAFT_SUFFIX = ".new";
/** What is beside a file that is being written. */
const BESIDE = ["", "-wal", "-shm", "-journal", LOCK_SUFFIX, DRAFT_SUFFIX, `${DRAFT_SUFFIX}-journal`];
/** A store is made in an instant: whoever made one that is older is gone. */
const DRAFT_MAX_AGE_MS = 60 * 60 * 1000;

const folderOf = (outputDir: string): string => join(outputDir, "runs");

/** The store of a run. */
export const runFile = (outputDir: string, id: string): string => join(folderOf(outputDir), `${id}.db`);

/** Drops what is older than the newest 20, and stores that were never made whole. */
export function dropOldRuns(outputDir: string): void {
  for (const old of runIds(outputDir).slice(0, -KEPT)) removeRun(runFile(outputDir, old));
  for (const name of namesIn(folderOf(outputDir))) {
    const draft = join(folderOf(outputDir), name);
    const made = name.endsWith(`.db${DRAFT_SUFFIX}`) ? statSync(draft, { throwIfNoEntry: false }) : undefined;
    if (made !== undefined && Date.now() - made.mtimeMs > DRAFT_MAX_AGE_MS) removeRun(draft.slice(0, -DRAFT_SUFFIX.length));
  }
}

/** Removes a store with what is beside it. */
export function removeRun(file: string): void {
  for (const suffix of BESIDE) rmSync(`${file}${suffix}`, { force: true });
}

/** The ids of the runs that are kept, oldest first. */
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

/** A run that was found, and read. */
export interface Found<T> {
  readonly id: string;
  readonly read: T;
  /** Newer runs that could not be read, and why, as sentences. */
  readonly skipped: readonly string[];
}

/**
 * Reads a run that is kept: without an id the last one that can be read.
 *
 * @throws SeqqaError `NO_SUCH_RUN` with exit status 2, and what `read` throws
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
      ? "seqqa run keeps one there; --config names another configuration."
      : `There ${ids.length === 1 ? "is" : "are"}: ${newest.join(", ")}${ids.length > NAMED ? ` and ${ids.length - NAMED} older` : ""}.`;
  const what = id === undefined || ids.length === 0 ? `There is no run in ${folderOf(outputDir)}` : `There is no such run: ${id}`;
  return new SeqqaError("NO_SUCH_RUN", `${what}.`, { exitStatus: 2, hint });
}
