import type { Config } from "../../config/index.ts";
import { SeqqaError } from "../../model/errors.ts";
import { Reporters, redactText, redactor } from "../../reports/index.ts";
import { readStoredRun } from "../../run-log/index.ts";
import { uiPage } from "../../reports/html/ui-page.ts";
import type { ExitStatus } from "../../run/session/exit-status.ts";
import type { OpenLane } from "../../ui/index.ts";
import { Feed, LaneDesk, UiServer } from "../../ui/index.ts";
import { aliveUntil } from "../process/alive-until.ts";
import { explorationPath } from "../arguments/exploration-path.ts";
import { isExplorationFile } from "../arguments/find-explorations.ts";
import { usage } from "../arguments/run-options.ts";
import type { Shell } from "../process/shell.ts";
import type { Machinery } from "./machinery.ts";
import { pathText } from "./path-text.ts";
import { commandFlags, type ReplayFlags } from "./replay-with.ts";

export interface UiOptions {
  readonly config: Config;
  readonly feed: Feed;
  readonly port: string | undefined;
  readonly shell: Shell;
  readonly machinery: Machinery;
}

/** Runs the work of a run. With `--ui`, serves a live page of the run during the work, and afterwards until the user presses Ctrl-C. */
export async function withPage(
  { isAsked, given, ...options }: Omit<UiOptions, "feed"> & { readonly isAsked: boolean; readonly given: ReplayFlags },
  reporters: Reporters,
  work: (reporters: Reporters) => Promise<ExitStatus>,
): Promise<ExitStatus> {
  if (!isAsked) return work(reporters);
  const feed = new Feed(options.config.report, commandFlags(options.config, given, options.shell.cwd).join(" "));
  const server = await serveUi({ ...options, feed });
  try {
    const status = await work(new Reporters([reporters, feed]));
    if (status !== 130) await untilInterrupted(options.shell);
    return status;
  } finally {
    await server.close();
  }
}

/**
 * Serves the live page of a run and prints its URL.
 * @throws SeqqaError with exit status 2 if the port cannot be used
 */
export async function serveUi({ config, feed, port, shell, machinery }: UiOptions): Promise<UiServer> {
  const hide = redactor(config.report.redact);
  const desk = new LaneDesk(laneOpener({ config, feed, shell, machinery }), config.report);
  const server = await UiServer.start({
    feed,
    desk,
    port: portOf(port),
    page: uiPage(),
    shown: (text) => redactText(text, config.report, hide),
    textOf: (exploration, goal, as) => pathText({ config, feed, cwd: shell.cwd }, exploration, { ...goal, as }),
  });
  shell.stderr.write(`The page of this run: ${server.url}\n`);
  return server;
}

export async function untilInterrupted(shell: Shell): Promise<void> {
  shell.stderr.write("Press Ctrl-C to stop serving the page.\n");
  await aliveUntil((done) => {
    const stop = shell.onInterrupt(() => {
      stop();
      done();
    });
  });
}

function portOf(given: string | undefined): number {
  if (given === undefined) return 0;
  const port = Number(given);
  if (/^\d+$/.test(given) && port <= 65_535) return port;
  throw usage(`Invalid --port value ${JSON.stringify(given)}.`, "Give a number from 0 to 65535. With 0, seqqa uses any free port.");
}

function laneOpener({ config, feed, shell, machinery }: Omit<UiOptions, "port">): OpenLane {
  return async (exploration, { signal, path }, work) => {
    if (feed.run === undefined)
      throw new SeqqaError("RUN_GOES_ON", "The run is still in progress. Open a lane after it has ended.", { exitStatus: 2 });
    const file = feed.exploration(exploration)?.file ?? "";
    // Load only exploration files here. The run log may come from another person and could name any other module.
    if (!isExplorationFile(file))
      throw new SeqqaError("NO_EXPLORATION", "The run does not contain this exploration. Reload the page.", { exitStatus: 2 });
    const stored = config.report.formats.length === 0 ? [] : readStoredRun(config.report.outputDir, feed.run).explorations;
    const { beginning, seed } = stored.find((one) => one.file === file) ?? {};
    const problems: Error[] = [];
    const entry = explorationPath(file, { folder: feed.folder, outputDir: config.report.outputDir, cwd: shell.cwd });
    await machinery.withServices(config, { signal, onProblem: (error) => problems.push(error) }, () =>
      machinery.walkFile({ entry, config, signal, seed, actions: path, known: beginning }, work),
    );
    if (problems.length > 0) throw problems[0]!;
  };
}
