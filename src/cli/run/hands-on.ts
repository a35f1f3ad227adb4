import inspector from "node:inspector";
import type { Config, FlagValue, LoadOptions } from "../../config/index.ts";
import { SeqqaError } from "../../model/errors.ts";
import type { WalkedStep, WalkJudged, WalkPlace } from "../../model/results/walked.ts";
import {
  coloursFor,
  judgedLines,
  placeLines,
  printable,
  redactJudged,
  redactor,
  redactPlace,
  redactText,
  redactWalked,
  walkedLines,
} from "../../reports/index.ts";
import type { ActionWalk, WalkFileInput } from "../../run/index.ts";
import type { ExitStatus } from "../../run/session/exit-status.ts";
import { statusOfError } from "../../run/session/exit-status.ts";
import { aliveUntil } from "../process/alive-until.ts";
import { errorText } from "../process/error-text.ts";
import { interruptible } from "../process/interruptible.ts";
import type { Shell } from "../process/shell.ts";
import type { Machinery } from "./machinery.ts";

/** The request timeout in seconds under a debugger. It is long, because the target may wait at a breakpoint. */
const INSPECTED_TIMEOUT = 3600;

export interface HandsOn {
  readonly shell: Shell;
  readonly machinery: Machinery;
  readonly verbose: boolean;
  readonly inspect: boolean;
}

export interface LaneFlags {
  readonly baseUrl?: string;
  readonly infra?: boolean;
  readonly config?: string;
  readonly verbose?: boolean;
  readonly allowDb?: readonly string[];
}

export function laneFlags({ baseUrl, infra, config, allowDb }: LaneFlags, flags: readonly FlagValue[]): LoadOptions {
  return {
    file: config,
    flags: [...flags, ...(baseUrl === undefined ? [] : [{ key: "base_url", flag: "--base-url", value: baseUrl }])],
    noInfra: infra === false,
    allowedStores: allowDb,
  };
}

export interface WalkOutput {
  print(...lines: readonly string[]): void;
  root(judged: WalkJudged): void;
  step(number: number, step: WalkedStep): void;
  place(place: WalkPlace): void;
}

/**
 * Runs `work` on a separate lane, and returns the exit status. `work` can call `keep`, which leaves the lane running until an interrupt: the exit
 * status is then the status that `work` passed to `keep`. After an earlier interrupt, the exit status is 130.
 */
export async function handsOn(
  input: Omit<WalkFileInput, "signal">,
  { shell, machinery, verbose, inspect }: HandsOn,
  work: (walk: ActionWalk, output: WalkOutput, keep: (status: ExitStatus) => Promise<ExitStatus>) => Promise<ExitStatus>,
): Promise<ExitStatus> {
  const config: Config = inspect ? { ...input.config, timeout: INSPECTED_TIMEOUT } : input.config;
  const hide = redactor(config.report.redact);
  const message = (text: string): void => void shell.stderr.write(`${redactText(text, config.report, hide)}\n`);
  const fail = (error: unknown): void => message(errorText(error, verbose));
  const print = (...lines: readonly string[]): void => void shell.stdout.write(`${lines.join("\n")}\n`);
  const style = { colours: coloursFor(shell.stdout, shell.env), verbose };
  let kept: ExitStatus | undefined;
  if (inspect) waitForDebugger(shell);
  return interruptible(shell, { message: (text) => kept === undefined && message(text) }, async (signal): Promise<ExitStatus> => {
    const output = (walk: ActionWalk): WalkOutput => ({
      print,
      root: (judged) => print(...judgedLines(redactJudged(judged, config.report, hide), style)),
      step: (number, step) => print(...walkedLines(number, redactWalked(step, config.report, hide), style)),
      place: (place) => print("", ...placeLines(redactPlace(place, hide), walk.actions, style.colours)),
    });
    const keep = async (walk: ActionWalk, status: ExitStatus): Promise<ExitStatus> => {
      kept = status;
      print(
        "",
        "The target stays in this state until you press Ctrl-C. The lane of the target uses:",
        ...walk.uses.map((one) => `  ${printable(one)}`),
      );
      await aliveUntil((done) => signal.addEventListener("abort", done, { once: true }));
      return status;
    };
    try {
      const status = await machinery.withServices(config, { signal, onProblem: fail }, () =>
        machinery.walkFile({ ...input, config, signal }, (walk) => work(walk, output(walk), (ended) => keep(walk, ended))),
      );
      return status ?? 130;
    } catch (error) {
      if (signal.aborted) return kept ?? 130;
      fail(error);
      return statusOfError(error);
    }
  });
}

/**
 * Opens the debugger port and waits until a debugger connects. Actions run in this thread, so breakpoints in them work.
 * @throws SeqqaError `INSPECT_PORT` with exit status 2 if the debugger's port is in use
 */
function waitForDebugger({ stderr }: Shell): void {
  if (inspector.url() === undefined) inspector.open(9229, "127.0.0.1");
  const url = inspector.url();
  if (url === undefined) {
    throw new SeqqaError("INSPECT_PORT", "The debugger cannot listen on port 9229.", {
      exitStatus: 2,
      hint: "Stop the process that uses this port, or start seqqa with NODE_OPTIONS=--inspect=<port>.",
    });
  }
  stderr.write(`Waiting for a debugger at ${url}. Open chrome://inspect, or attach to the process from your editor.\n`);
  inspector.waitForDebugger();
}
