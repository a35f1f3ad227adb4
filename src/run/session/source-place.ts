import type { Config } from "../../config/index.ts";
import type { SourcePlace } from "../../reports/index.ts";
import { gitRepository } from "./git-repository.ts";

/**
 * Returns the places to which reports link lines of the user's code: a file of an editor, and a page of GitHub. In CI (`CI` is set) there is no
 * editor, since the files are on another machine than the reader. GitHub's repository and commit come from its environment variables, else from the
 * files of the git repository around `cwd`; no program is run.
 */
export function sourcePlace(cwd: string, { report: { editor } }: Pick<Config, "report">, env: NodeJS.ProcessEnv): SourcePlace | undefined {
  const isCi = env["CI"] !== undefined && env["CI"] !== "" && env["CI"] !== "false";
  const repository = gitRepository(cwd, env);
  const own = isCi || editor === "none" ? undefined : { editor, folder: cwd };
  return own === undefined && repository === undefined ? undefined : { ...own, ...(repository !== undefined && { repository }) };
}
