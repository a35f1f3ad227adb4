import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { SeqqaError } from "../model/errors.ts";
import { RUN_ID } from "./run-id.ts";
import { LOCK_SUFFIX } from "./run-lock.ts";

/** How many runs are kept. */
const KEPT = 20;
/** How many are named when another one was asked for. */
const NAMED = 5;
/** What is beside a file that is being written. */
const BESIDE = ["", "-wal", "-shm", "-journal", LOCK_SUFFIX];

const folderOf = (outputDir: string): string => join(outputDir, "runs");

/** The store of a run. */
export const runFile = (outputDir: string, id: string): string => join(folderOf(outputDir), `${id}.db`);

/** Drops what is older than the newest 20. */
export function dropOldRuns(outputDir: string): void {
  for (const old of runIds(outputDir).slice(0, -KEPT)) removeRun(runFile(outputDir, old));
}

/** Removes a store with what is beside it. */
export function removeRun(file: string): void {
  for (const suffix of BESIDE) rmSync(`${file}${suffix}`, { force: true });
}

/** The ids of the runs that are kept, oldest first. */
export function runIds(outputDir: string): readonly string[] {
  let names: readonly string[];
  try {
    names = readdirSync(folderOf(outputDir));
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) return [];
    throw error;
  }
  return names
    .filter((name) => name.endsWith(".db"))
    .map((name) => name.slice(0, -".db".length))
    .filter((id) => RUN_ID.test(id))
    .toSorted();
}

/** The id of a run that is kept, the last one without an id. @throws SeqqaError `NO_SUCH_RUN` with exit status 2 */
export function findRun(outputDir: string, id: string | undefined): string {
  const ids = runIds(outputDir);
  const wanted = id ?? ids.at(-1);
  if (wanted === undefined || !ids.includes(wanted)) throw noSuchRun(outputDir, id, ids);
  return wanted;
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
