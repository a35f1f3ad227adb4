import type { Config } from "../../config/index.ts";
import { withRunDirectory } from "../prepare/run-directory.ts";
import type { MeasuredCode } from "./code/code-coverage.ts";

/**
 * Calls `work`, during which the targets write the coverage of their code to a folder. Returns this coverage when `work` has ended.
 * @param cwd The folder to which shown paths are relative.
 * @throws SeqqaError `TMP_UNUSABLE` (2), and errors of `work`
 */
export async function withCodeCoverage(config: Config, cwd: string, work: (folder: string) => Promise<void>): Promise<MeasuredCode> {
  return withRunDirectory(async (folder) => {
    await work(folder);
    const { codeCoverage } = await import("./code/code-coverage.ts");
    return codeCoverage(folder, config, cwd);
  });
}
