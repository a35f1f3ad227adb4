import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { SeqqaError } from "../model/errors.ts";
import { RUN_ID } from "./run-id.ts";
import { writeWhole } from "./write-whole.ts";

/** How many runs are kept. */
const KEPT = 20;
/** How many are named when another one was asked for. */
const NAMED = 5;

const folderOf = (outputDir: string): string => join(outputDir, "runs");

/** Keeps the document of a run for `seqqa report`, and drops what is older than the newest 20. */
export function saveRun(outputDir: string, id: string, text: string): void {
  const folder = folderOf(outputDir);
  writeWhole(join(folder, `${id}.json`), text);
  for (const old of runIds(outputDir).slice(0, -KEPT)) rmSync(join(folder, `${old}.json`), { force: true });
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
    .filter((name) => name.endsWith(".json"))
    .map((name) => name.slice(0, -".json".length))
    .filter((id) => RUN_ID.test(id))
    .toSorted();
}

/** The document of a run, the last one without an id. @throws SeqqaError `NO_SUCH_RUN`, `RUN_UNREADABLE` with exit status 2 */
export function readRun(outputDir: string, id: string | undefined): { readonly id: string; readonly document: object } {
  const ids = runIds(outputDir);
  const wanted = id ?? ids.at(-1);
  if (wanted === undefined || !ids.includes(wanted)) throw noSuchRun(outputDir, id, ids);
  const file = join(folderOf(outputDir), `${wanted}.json`);
  try {
    const document: unknown = JSON.parse(readFileSync(file, "utf8"));
    const { explorations, journeys, failures } = document as Record<string, unknown>;
    if (Array.isArray(explorations) && Array.isArray(journeys) && Array.isArray(failures))
      return { id: wanted, document: document as object };
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw unreadable(file, code ?? "it is not JSON", cause);
  }
  throw unreadable(file, "it is no document of a run");
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

function unreadable(file: string, why: string, cause?: unknown): SeqqaError {
  return new SeqqaError("RUN_UNREADABLE", `The run in ${file} cannot be read: ${why}.`, {
    exitStatus: 2,
    hint: "Name another one with --run, or run again.",
    cause,
  });
}
