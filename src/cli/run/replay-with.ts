import { findFile, withoutPasswords, type Config } from "../../config/index.ts";
import type { RunOptions } from "../arguments/run-options.ts";
import { shellWord } from "../../model/text/shell-word.ts";
import { shownPath } from "../process/shown-path.ts";

export type ReplayFlags = Pick<RunOptions, "output" | "baseUrl" | "infra" | "allowDb">;

const ID = 8;

/** Returns a function that builds the command `seqqa replay` for the id of a finding. Returns `undefined` if the run has no run log. */
export function replayWith({ file, report }: Config, given: ReplayFlags, cwd: string): ((id: string) => string) | undefined {
  if (report.formats.length === 0) return undefined;
  const option = (name: string, value: string | undefined): readonly string[] =>
    value === undefined ? [] : [name, shellWord(withoutPasswords(value))];
  const flags = [
    ...option("--config", file === undefined || file === findFile(".", cwd) ? undefined : shownPath(file, cwd)),
    ...option("--output", given.output),
    ...option("--base-url", given.baseUrl),
    ...(given.infra === false ? ["--no-infra"] : []),
    ...(given.allowDb ?? []).flatMap((store) => option("--allow-db", store)),
  ];
  return (id) => ["npx seqqa replay", id.slice(0, ID), ...flags].join(" ");
}
