import { resolve } from "node:path";
import { configFor } from "../arguments/config-for.ts";
import { withShardStores, type ShardStore } from "../../run-log/index.ts";
import type { ExitStatus } from "../../run/session/exit-status.ts";
import { interruptible } from "../process/interruptible.ts";
import { Known } from "../../run/session/known.ts";
import type { RunSession } from "../../run/session/run-session.ts";
import type { Machinery } from "../run/machinery.ts";
import { loadReporters } from "../run/load-reporters.ts";
import { loadFormats, prepareReports } from "../run/report-files.ts";
import { usage } from "../arguments/run-options.ts";
import { beginRun, endRun } from "../run/terminal-run.ts";
import type { Shell } from "../process/shell.ts";

export interface MergeOptions {
  readonly output?: string;
  readonly config?: string;
  readonly failOnSeverity?: string;
  readonly reporter?: readonly string[];
  readonly verbose?: boolean;
}

/** Runs `seqqa merge`: joins the shards of a run into one run, with its own reports and exit status. */
export async function mergeCommand(
  paths: readonly string[],
  options: MergeOptions,
  shell: Shell,
  machinery: Machinery,
  version: string,
): Promise<ExitStatus> {
  if (paths.some((path) => path.trim() === ""))
    throw usage("The path of a shard's run is empty.", "For each shard, give the file runs/<id>.db or the folder of its reports.");
  const config = configFor(shell, {
    directory: ".",
    allowedStores: "unopened",
    file: options.config,
    flags: [
      ...(options.output === undefined ? [] : [{ key: "report.output_dir", flag: "--output", value: options.output }]),
      ...(options.failOnSeverity === undefined
        ? []
        : [{ key: "fail_on_severity", flag: "--fail-on-severity", value: options.failOnSeverity }]),
    ],
  });
  const { mergeExplorations, storedFailures, refuseDamaged, checkShards } = await machinery.merging();
  const { stdout, stderr, env, cwd } = shell;
  const verbose = options.verbose === true;
  const formats = await loadFormats(config.report.formats, { key: "report.formats", folder: config.folder, machinery });
  const reporter = await loadReporters(options.reporter, { stdout, stderr, env, verbose, visibility: config.report }, { cwd, machinery });
  return await interruptible(shell, reporter, async (signal) => {
    const known = Known.read(config, false, shell.cwd);
    const parts = { config, shell, reporter, formats, verbose, signal, known, version, given: options };
    let session: RunSession | undefined;
    const merge = (stores: readonly ShardStore[]): void => {
      checkShards(stores.map(({ stored }) => stored));
      refuseDamaged(stores);
      prepareReports(config);
      session = beginRun(parts);
      for (const { file, name } of stores[0]!.stored.explorations) {
        session.merged({ file, name, merge: (keep) => mergeExplorations(stores, file, keep) });
      }
      for (const { file, error } of storedFailures(stores)) session.fail(error, resolve(shell.cwd, file));
    };
    withShardStores(
      paths.map((path) => resolve(shell.cwd, path)),
      merge,
    );
    return await endRun(session!, parts, { whole: false });
  });
}
