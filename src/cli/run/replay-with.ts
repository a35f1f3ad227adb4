import { findFile, withoutPasswords, type Config } from "../../config/index.ts";
import type { RunOptions } from "../arguments/run-options.ts";
import { shellWord } from "../../model/text/shell-word.ts";
import type { RunReport } from "../../reports/index.ts";
import { shownPath } from "../process/shown-path.ts";

export type ReplayFlags = Pick<RunOptions, "output" | "baseUrl" | "infra" | "allowDb">;

const ID = 8;

/**
 * Returns the commands that replay a finding of the run and write its reports, for the folder in which the run was started. Returns no commands if
 * the run has no run log.
 */
export function commandsOf(config: Config, given: ReplayFlags, cwd: string): Pick<RunReport, "replayWith" | "reportWith"> {
  if (config.report.formats.length === 0) return {};
  const flags = commandFlags(config, given, cwd);
  return {
    replayWith: (id) => ["npx seqqa replay", id.slice(0, ID), ...flags].join(" "),
    // `seqqa report` has no flag for the report folder, so it cannot find a run that was started with --output.
    ...(given.output === undefined && { reportWith: ["npx seqqa report", ...configFlag(config, cwd)].join(" ") }),
  };
}

/** Returns the flags with which `seqqa replay` and `seqqa open` find a run and its target from the folder in which the run was started. */
export function commandFlags(config: Config, given: ReplayFlags, cwd: string): readonly string[] {
  return [
    ...configFlag(config, cwd),
    ...option("--output", given.output),
    ...option("--base-url", given.baseUrl),
    ...(given.infra === false ? ["--no-infra"] : []),
    ...(given.allowDb ?? []).flatMap((store) => option("--allow-db", store)),
  ];
}

function configFlag({ file }: Config, cwd: string): readonly string[] {
  return option("--config", file === undefined || file === findFile(".", cwd) ? undefined : shownPath(file, cwd));
}

function option(name: string, value: string | undefined): readonly string[] {
  return value === undefined ? [] : [name, shellWord(withoutPasswords(value))];
}
