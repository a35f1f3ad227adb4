import { readRun } from "../../run-log/index.ts";
import type { ExitStatus } from "../../run/session/exit-status.ts";
import { Feed } from "../../ui/index.ts";
import { configFor } from "../arguments/config-for.ts";
import type { Shell } from "../process/shell.ts";
import { laneFlags, type LaneFlags } from "../run/hands-on.ts";
import type { Machinery } from "../run/machinery.ts";
import { tellSkipped } from "../run/report-files.ts";
import { serveUi, untilInterrupted } from "../run/ui-page.ts";

export interface UiCommandOptions extends LaneFlags {
  readonly run?: string;
  readonly output?: string;
  readonly port?: string;
}

/** Runs `seqqa ui`: serves the HTML page of a stored run until the user presses Ctrl-C. */
export async function uiCommand(options: UiCommandOptions, shell: Shell, machinery: Machinery): Promise<ExitStatus> {
  const flags = options.output === undefined ? [] : [{ key: "report.output_dir", flag: "--output", value: options.output }];
  const config = configFor(shell, { directory: ".", ...laneFlags(options, flags) });
  const { data, skipped } = readRun(config.report.outputDir, options.run);
  tellSkipped(shell, skipped);
  const server = await serveUi({ config, feed: Feed.of(data, config.report), port: options.port, shell, machinery });
  try {
    await untilInterrupted(shell);
  } finally {
    await server.close();
  }
  return 0;
}
