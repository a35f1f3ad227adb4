import { existsSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import type { NamedRun } from "../../diff/index.ts";
import { readResultsFile, readRun, RUN_ID, runIds } from "../../run-log/index.ts";
import { nearest } from "../../model/text/nearest.ts";
import { SeqqaError } from "../../model/errors.ts";
import { tellSkipped } from "../run/report-files.ts";
import type { Shell } from "../process/shell.ts";

/**
 * Returns the run that the user named: by its id in the run log, by the path of its results.json, or by the folder of that file. Without a name,
 * returns the last run in the log.
 * @throws SeqqaError `NO_SUCH_RUN`, `RUN_UNREADABLE` with exit status 2
 */
export function namedRun(name: string | undefined, outputDir: string, shell: Shell): NamedRun {
  if (name === undefined || RUN_ID.test(name)) {
    const { id, data, skipped } = readRun(outputDir, name);
    tellSkipped(shell, skipped);
    return { name: `run ${id}`, document: data.document };
  }
  const path = resolve(shell.cwd, name);
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  const [file, shown] = isFolder ? [join(path, "results.json"), join(name, "results.json")] : [path, name];
  if (existsSync(file)) return { name: shown, document: readResultsFile(file, shown) };
  const ids = runIds(outputDir);
  const near = nearest(name, ids);
  const known = ids.length === 0 ? "" : ` Newest runs: ${ids.slice(-3).toReversed().join(", ")}.`;
  throw new SeqqaError("NO_SUCH_RUN", `Run not found: ${shown} is neither the id of a stored run nor an existing file.`, {
    exitStatus: 2,
    hint: near === undefined ? `Give the id of a run, or the path of a results.json.${known}` : `Did you mean ${near}?`,
  });
}
