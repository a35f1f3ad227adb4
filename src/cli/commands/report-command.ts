import { resolve } from "node:path";
import { configFor } from "../arguments/config-for.ts";
import { writePieces } from "../../reports/index.ts";
import { OWN_ONLY, writeWhole } from "../../run-log/index.ts";
import type { ExitStatus } from "../../run/session/exit-status.ts";
import { loadFormat, readFor, reportPieces, tellSkipped, writing, FILE_HINT } from "../run/report-files.ts";
import { usage } from "../arguments/run-options.ts";
import type { Machinery } from "../run/machinery.ts";
import type { Shell } from "../process/shell.ts";
import { shownPath } from "../process/shown-path.ts";

export interface ReportOptions {
  readonly run?: string;
  readonly format?: string;
  readonly output?: string;
  readonly config?: string;
}

/** Runs `seqqa report`: writes a report of a stored run in one of the formats. */
export async function reportCommand(options: ReportOptions, shell: Shell, machinery: Machinery): Promise<ExitStatus> {
  if (options.output === "") throw usage("--output has an empty value.", "Give the path of a file, or - for standard output.");
  const config = configFor(shell, { directory: ".", file: options.config, allowedStores: "unopened" });
  const format = await loadFormat(options.format ?? "html", { key: "--format", folder: shell.cwd, machinery });
  const run = readFor([format], config.report.outputDir, options.run);
  tellSkipped(shell, run.skipped);
  const pieces = reportPieces(format, run);
  if (options.output === "-") {
    await writePieces(shell.stdout, pieces);
    return 0;
  }
  const file = options.output === undefined ? resolve(config.report.outputDir, format.file) : resolve(shell.cwd, options.output);
  writing(file, () => writeWhole(file, pieces, OWN_ONLY), options.output === undefined ? undefined : FILE_HINT);
  shell.stderr.write(`Run ${run.id} is in ${shownPath(file, shell.cwd)}\n`);
  return 0;
}
