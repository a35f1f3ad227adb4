import type { Config } from "../../config/index.ts";
import type { SourcePlace } from "../../reports/index.ts";
import { gitRepository } from "./git-repository.ts";

/**
 * Returns where the links in reports lead: to lines of the user's code in an editor, and on GitHub. In CI (`CI` is set), editor links are left out,
 * because the files are not on the reader's machine. GitHub's repository and commit come from the environment, or else from the files of the git
 * repository. No program is run.
 */
export function sourcePlace(cwd: string, { report: { editor } }: Pick<Config, "report">, env: NodeJS.ProcessEnv): SourcePlace | undefined {
  const isCi = env["CI"] !== undefined && env["CI"] !== "" && env["CI"] !== "false";
  const repository = gitRepository(cwd, env);
  const own = isCi || editor === "none" ? undefined : { editor, folder: cwd };
  return own === undefined && repository === undefined ? undefined : { ...own, ...(repository !== undefined && { repository }) };
}
