import { resolve } from "node:path";
import { loadConfig, type Config } from "../config/index.ts";
import { coloursFor, printable, redactor, redactReplay, redactText, replayTable } from "../reports/index.ts";
import { readRun } from "../store/index.ts";
import { drawsByName } from "./draws-by-name.ts";
import { emitted, type Emitter } from "./emit-finding.ts";
import { errorText, statusOfError } from "./error-text.ts";
import type { ExitStatus } from "./exit-status.ts";
import { findFinding, type FoundFinding } from "./find-finding.ts";
import { interruptible } from "./interruptible.ts";
import type { Machinery } from "./machinery.ts";
import { verdictOf } from "./replay-verdict.ts";
import { usage } from "./run-options.ts";
import type { Shell } from "./shell.ts";

export interface ReplayCommandOptions {
  readonly run?: string;
  readonly fromStep?: string;
  readonly emit?: Emitter;
  readonly output?: string;
  readonly baseUrl?: string;
  readonly config?: string;
  readonly infra?: boolean;
  readonly verbose?: boolean;
  readonly allowDb?: readonly string[];
}

/** `seqqa replay`: the path of a finding once more, from a clean start. */
export async function replayCommand(
  wanted: string,
  options: ReplayCommandOptions,
  shell: Shell,
  machinery: Machinery,
): Promise<ExitStatus> {
  const config = loadConfig({
    directory: ".",
    file: options.config,
    flags: [
      ...(options.baseUrl === undefined ? [] : [{ key: "base_url", flag: "--base-url", value: options.baseUrl }]),
      ...(options.output === undefined ? [] : [{ key: "report.output_dir", flag: "--output", value: options.output }]),
    ],
    env: shell.env,
    cwd: shell.cwd,
    noInfra: options.infra === false,
    allowedStores: options.allowDb,
  });
  const { id, data } = readRun(config.report.outputDir, options.run);
  const found = findFinding(wanted, id, data.document);
  const { violation } = found;
  if (violation.reproductionPath.length === 0 && violation.state === null) {
    throw usage(
      `There is nothing to replay: ${printable(violation.invariant)} says what no path led to.`,
      "Replay findings that have a path, or explore again.",
    );
  }
  if (options.emit !== undefined) {
    if (options.fromStep !== undefined) throw usage("--from-step is for a replay, and --emit runs nothing.", "Leave one of them out.");
    shell.stdout.write(emitted(options.emit, found, config, shell.cwd));
    return 0;
  }
  const from = firstStep(options.fromStep, violation.reproductionPath.length);
  return replayed(found, id, from, { config, shell, machinery, verbose: options.verbose === true });
}

interface Setting {
  readonly config: Config;
  readonly shell: Shell;
  readonly machinery: Machinery;
  readonly verbose: boolean;
}

/** @param from the step before which the world is shown; `undefined`: it is not */
async function replayed(
  { exploration, violation }: FoundFinding,
  run: string,
  from: number | undefined,
  setting: Setting,
): Promise<ExitStatus> {
  const { config, shell, machinery, verbose } = setting;
  const { reproductionPath: path } = violation;
  const print = (...lines: readonly string[]): void => void shell.stdout.write(`${lines.join("\n")}\n`);
  print(
    `[${violation.severity.toUpperCase()}] ${printable(violation.invariant)}, id ${printable(violation.id)}`,
    `of ${printable(exploration.name)} (${printable(exploration.file)}), run ${run}`,
    "",
  );
  const hide = redactor(config.report.redact);
  // Errors quote what the target printed.
  const message = (text: string): void => void shell.stderr.write(`${redactText(text, config.report, hide)}\n`);
  return interruptible(shell, { message }, async (signal): Promise<ExitStatus> => {
    const beforeStep = async (step: number, uses: readonly string[]): Promise<void> => {
      if (step !== from) return;
      print(`The world is as it was before step ${step + 1} (${printable(path[step]!)}):`, ...uses.map((one) => `  ${printable(one)}`), "");
      if (shell.waitForEnter === undefined) return;
      shell.stderr.write("Press Enter to go on. ");
      await shell.waitForEnter(signal);
    };
    try {
      const result = await machinery.withServices(config, { signal, onProblem: (error) => message(errorText(error, verbose)) }, () =>
        machinery.replayFile({
          entry: resolve(shell.cwd, exploration.file),
          config,
          signal,
          path,
          draws: drawsByName(violation.draws, exploration),
          seed: exploration.seed,
          expected: (one) => verdictOf(violation, one).kind === "fails",
          beforeStep: from === undefined ? undefined : beforeStep,
        }),
      );
      if (result === undefined) return 130;
      const shown = redactReplay(result, config.report, hide);
      const verdict = verdictOf(violation, shown);
      const colours = coloursFor(shell.stdout, shell.env);
      print(...(path.length === 0 ? ["(the initial state)"] : replayTable(path, violation.steps, shown.steps, from ?? 0, colours)));
      for (const error of shown.errors) print(`error in ${printable(error.source)}: ${printable(error.message)}`);
      print(
        "",
        { fails: colours.red, gone: colours.green, diverged: colours.yellow, flaky: colours.yellow }[verdict.kind](
          printable(verdict.sentence),
        ),
      );
      return signal.aborted ? 130 : verdict.exitStatus;
    } catch (error) {
      if (signal.aborted) return 130;
      message(errorText(error, verbose));
      return statusOfError(error);
    }
  });
}

/** `--from-step 1` is the first one. The step as an index; `undefined`: none was named. */
function firstStep(given: string | undefined, steps: number): number | undefined {
  if (given === undefined) return undefined;
  const step = Number(given);
  if (/^\d+$/.test(given) && step >= 1 && step <= steps) return step - 1;
  throw usage(
    `--from-step ${JSON.stringify(given)} is no step of the path.`,
    steps === 0 ? "The finding is in the initial state: it has no steps." : `It has the steps 1 to ${steps}.`,
  );
}
