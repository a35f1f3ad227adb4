import { existsSync } from "node:fs";
import { resolve } from "node:path";

/** The folders from which the exploration files of a stored run can be found. */
export interface RunPlace {
  /** The folder in which the run was started, relative to `outputDir`. `undefined` for runs of earlier versions. */
  readonly folder: string | undefined;
  /** The folder of reports in which the run was found. */
  readonly outputDir: string;
  readonly cwd: string;
}

/**
 * Returns the absolute path of an exploration file that a stored run names. The path is relative to the folder in which the run was started. If the
 * file does not exist there, for example because the reports were copied from another machine, the path is resolved against the working directory.
 */
export function explorationPath(file: string, { folder, outputDir, cwd }: RunPlace): string {
  const own = typeof folder === "string" ? resolve(outputDir, folder, file) : undefined;
  return own !== undefined && existsSync(own) ? own : resolve(cwd, file);
}
