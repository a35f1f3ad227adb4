import type { Config } from "../../config/index.ts";
import { onGithub, reportToGithub, type WholeReporter } from "../../reports/index.ts";
import type { ExitStatus } from "../../run/session/exit-status.ts";
import { commandFlags, commandsOf, type ReplayFlags } from "./replay-with.ts";
import { hearSignals } from "../../run/session/hear-signals.ts";
import { RunSession, type SessionInput } from "../../run/session/run-session.ts";
import { sourcePlace } from "../../run/session/source-place.ts";
import { usage } from "../arguments/run-options.ts";
import { errorText } from "../process/error-text.ts";
import type { Shell } from "../process/shell.ts";
import { cannotWrite, writeReports, writing, type LoadedFormat } from "./report-files.ts";

export interface TerminalRun extends Pick<SessionInput, "signal" | "known" | "resumed" | "flags" | "version" | "operations"> {
  readonly config: Config;
  readonly shell: Shell;
  readonly reporter: WholeReporter;
  readonly formats: readonly LoadedFormat[];
  readonly verbose: boolean;
  readonly given: ReplayFlags;
}

/**
 * Begins a run whose output goes to the terminal and to report files.
 * @throws SeqqaError if the run log cannot be created
 */
export function beginRun({ shell, formats, verbose, given, ...input }: TerminalRun): RunSession {
  const { config, reporter } = input;
  return new RunSession({
    ...input,
    cwd: shell.cwd,
    source: sourcePlace(shell.cwd, config, shell.env),
    commandFlags: commandFlags(config, given, shell.cwd).join(" "),
    isKept: config.report.formats.length > 0,
    cannotWrite,
    writeReports: (id) => writeReports(config, formats, id),
    onError: (error) => reporter.message(errorText(error, verbose)),
  });
}

/**
 * Ends a run: writes the reports and prints the result.
 * @param whole `true` if the run covered all explorations of the configuration.
 * @throws SeqqaError if the name of no exploration contains the text of `--only`
 */
export async function endRun(
  session: RunSession,
  { config, shell, reporter, signal, given }: TerminalRun,
  { whole, only }: { readonly whole: boolean; readonly only?: string | undefined },
): Promise<ExitStatus> {
  if (session.isEmpty && !signal.aborted) {
    session.discard();
    // With --watch, files that have not changed are left out of the run, and may contain the explorations that --only names. Do not report an error.
    if (only === undefined) return 0;
    throw usage(
      `--only found no exploration with ${JSON.stringify(only)} in its name.`,
      "seqqa list shows the names of all explorations. To run all of them, leave --only out.",
    );
  }
  // Keep the reports of the last run if nothing was executed because of a wrong option.
  if (session.isRefused && !signal.aborted) session.discard();
  const report = { ...(await session.end(whole)), ...commandsOf(config, given, shell.cwd) };
  await reporter.ended(report);
  if (onGithub(shell.env)) {
    const summary = shell.env["GITHUB_STEP_SUMMARY"] ?? "$GITHUB_STEP_SUMMARY";
    session.attempt(() => writing(summary, () => reportToGithub(session.documentOf({ ...report, exitStatus: session.status }), shell)));
  }
  await hearSignals();
  return signal.aborted ? 130 : session.status;
}
