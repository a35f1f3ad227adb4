import { appendFileSync, statSync } from "node:fs";
import { isAbsolute, relative, resolve } from "node:path";
import type { RunDocument } from "../document/document-types.ts";
import type { Output } from "../reporter.ts";
import { annotations } from "./annotations.ts";
import { command, type Annotation } from "./commands.ts";
import { jobSummary } from "./job-summary.ts";

/** The largest number of bytes that GitHub accepts for the summary of one step. */
const MOST = 1024 * 1024;

export interface GithubPlace {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder in which the command was started. File names in reports are relative to this folder. */
  readonly cwd: string;
  /** The stream for annotations. GitHub reads standard output, too, but `--reporter json` writes its document there. */
  readonly stderr: Output;
}

export const onGithub = (env: GithubPlace["env"]): boolean => env["GITHUB_ACTIONS"] === "true";

/**
 * Writes annotations for the user's code, and appends the result to the job summary. @throws the file system's error if the summary cannot be written
 */
export function reportToGithub(document: RunDocument, { env, cwd, stderr }: GithubPlace): void {
  const workspace = env["GITHUB_WORKSPACE"] ?? cwd;
  const inRepository = (file: string): string => {
    const path = relative(workspace, resolve(cwd, file));
    return path.startsWith("..") || isAbsolute(path) ? file : path;
  };
  const placed = (one: Annotation): Annotation => (one.file === undefined ? one : { ...one, file: inRepository(one.file) });
  for (const one of annotations(document)) stderr.write(command(placed(one)));
  const file = env["GITHUB_STEP_SUMMARY"] ?? "";
  if (file === "") return;
  const text = jobSummary(document, MOST - (statSync(file, { throwIfNoEntry: false })?.size ?? 0));
  if (text === "")
    stderr.write(
      command({
        level: "notice",
        title: "seqqa",
        message: "seqqa did not write the job summary, because the summary of this step has reached GitHub's limit of 1 MiB.",
      }),
    );
  else appendFileSync(file, text);
}
