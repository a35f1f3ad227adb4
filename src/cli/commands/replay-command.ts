import type { Config } from "../../config/index.ts";
import { configFor } from "../arguments/config-for.ts";
import type { FaultPoint } from "../../model/results/result.ts";
import type { RaceReplay, ReplayResult } from "../../model/results/replay.ts";
import {
  coloursFor,
  printable,
  raceName,
  raceReplayLines,
  redactor,
  redactReplay,
  redactText,
  replayTable,
  type Colours,
} from "../../reports/index.ts";
import { readFindings, runIds } from "../../run-log/index.ts";
import { drawsByName } from "../arguments/draws-by-action.ts";
import { emitted, type Emitter } from "../run/emit-finding.ts";
import { errorText } from "../process/error-text.ts";
import { statusOfError, type ExitStatus } from "../../run/session/exit-status.ts";
import { explorationPath } from "../arguments/exploration-path.ts";
import { isExplorationFile } from "../arguments/find-explorations.ts";
import { findFinding, matching, type ExplorationEntry, type FoundFinding, type FoundViolation } from "../arguments/find-finding.ts";
import { interruptible } from "../process/interruptible.ts";
import type { Machinery } from "../run/machinery.ts";
import { callsOf, raceVerdict } from "../run/race-verdict.ts";
import { verdictOf, type Verdict } from "../run/replay-verdict.ts";
import { usage } from "../arguments/run-options.ts";
import type { Shell } from "../process/shell.ts";
import { deadName } from "../../run/state-graphs/graph-coverage.ts";
import { tellSkipped } from "../run/report-files.ts";

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

/** Runs `seqqa replay`: executes the path of a finding again on a new lane. */
export async function replayCommand(
  wanted: string,
  options: ReplayCommandOptions,
  shell: Shell,
  machinery: Machinery,
): Promise<ExitStatus> {
  const config = configFor(shell, {
    directory: ".",
    file: options.config,
    flags: [
      ...(options.baseUrl === undefined ? [] : [{ key: "base_url", flag: "--base-url", value: options.baseUrl }]),
      ...(options.output === undefined ? [] : [{ key: "report.output_dir", flag: "--output", value: options.output }]),
    ],
    noInfra: options.infra === false,
    allowedStores: options.allowDb,
  });
  const { id, data, skipped } = readFindings(config.report.outputDir, options.run);
  tellSkipped(shell, skipped);
  const elsewhere = options.run === undefined ? (): string | undefined => olderRun(config.report.outputDir, id, wanted) : undefined;
  const found = findFinding(wanted, id, data.document, elsewhere);
  // Load only exploration files here. The run log may come from another person and could name any other module.
  if (!isExplorationFile(found.exploration.file)) {
    throw usage(
      `seqqa does not load ${printable(found.exploration.file)}, which the run names as its exploration: the name does not end in .explore.ts, .mts, .js or .mjs.`,
      "Choose another run with --run <id>, or run the exploration again.",
    );
  }
  if (found.kind === "violation") refusePathless(found);
  const { folder } = data.document;
  const entry = explorationPath(found.exploration.file, { folder, outputDir: config.report.outputDir, cwd: shell.cwd });
  if (options.emit !== undefined) {
    if (options.fromStep !== undefined)
      throw usage("--from-step cannot be combined with --emit, because --emit executes no steps.", "Remove --from-step or --emit.");
    shell.stdout.write(emitted(options.emit, found, { config, cwd: shell.cwd, env: shell.env, entry, startedAt: data.document.startedAt }));
    return 0;
  }
  const steps = found.kind === "race" ? found.race.prefix.length + 1 : found.violation.reproductionPath.length;
  const from = firstStep(options.fromStep, steps);
  return replayed(found, id, from, { entry, config, shell, machinery, verbose: options.verbose === true });
}

/** The maximum number of earlier runs in which seqqa looks for a finding that the last run does not have. */
const OLDER = 20;

function olderRun(outputDir: string, last: string, wanted: string): string | undefined {
  const earlier = runIds(outputDir).filter((id) => id < last);
  return earlier.slice(-OLDER).findLast((id) => {
    try {
      return matching(wanted, readFindings(outputDir, id).data.document.explorations).length > 0;
    } catch {
      // The run cannot be read.
      return false;
    }
  });
}

/**
 * Throws an error for a finding that the replay of a single path can neither confirm nor refute.
 * @throws SeqqaError with exit status 2
 */
function refusePathless({ violation: { invariant, reproductionPath: path, state }, exploration }: FoundViolation): void {
  const isDead = exploration.deadEdges?.some((edge) => deadName(edge) === invariant) === true;
  if (!isDead && (path.length > 0 || state !== null)) return;
  const why = isDead
    ? "an edge of the state graph that applied on no path of the run, and a replay executes only one path"
    : "a node or edge of the state graph that no path of the run reached";
  throw usage(
    `The finding ${printable(invariant)} cannot be replayed, because the finding is about ${why}.`,
    "Correct the state graph, and run the exploration again.",
  );
}

interface Setting {
  /** The absolute path of the exploration file. */
  readonly entry: string;
  readonly config: Config;
  readonly shell: Shell;
  readonly machinery: Machinery;
  readonly verbose: boolean;
}

interface Task {
  readonly severity: string;
  readonly name: string;
  readonly id: string;
  readonly path: readonly string[];
  readonly draws: ExplorationEntry["violations"][number]["draws"];
  /** The names of the simultaneous calls of a race, which follow the steps of the path. `undefined` if the finding is not a race. */
  readonly last: string | undefined;
  /** The rule that the replay must check. `undefined` for a race, because `race` contains the rule. Also `undefined` for a fault. */
  readonly rule: string | undefined;
  readonly race: RaceReplay | undefined;
  readonly fault: FaultPoint | undefined;
  verdict(replayed: ReplayResult): Verdict;
  lines(replayed: ReplayResult, from: number, colours: Colours): readonly string[];
}

function taskOf(found: FoundFinding): Task {
  if (found.kind === "race") {
    const { race } = found;
    const { severity, id, prefix: path, draws } = race;
    return {
      severity,
      name: raceName(race),
      id,
      path,
      draws,
      last: raceName(race),
      rule: undefined,
      race: callsOf(race),
      fault: undefined,
      verdict: (one) => raceVerdict(race, one),
      lines: (one, from, colours) => raceReplayLines(race, one, from, colours),
    };
  }
  const { violation } = found;
  const { severity, invariant: name, id, reproductionPath: path, steps, draws } = violation;
  return {
    severity,
    name,
    id,
    path,
    draws,
    last: undefined,
    rule: violation.fault === undefined ? name : undefined,
    race: undefined,
    fault: violation.fault,
    verdict: (one) => verdictOf(violation, one),
    lines: (one, from, colours) =>
      path.length === 0 ? ["(the root state)"] : replayTable({ path, recorded: steps, observed: one.steps, from }, colours),
  };
}

/**
 * Replays a finding and prints the result.
 * @param from The index of the step from which the replay shows the contents of the stores. `undefined` to show no contents.
 */
async function replayed(found: FoundFinding, run: string, from: number | undefined, setting: Setting): Promise<ExitStatus> {
  const { entry, config, shell, machinery, verbose } = setting;
  const { exploration } = found;
  const task = taskOf(found);
  const { path } = task;
  const print = (...lines: readonly string[]): void => void shell.stdout.write(`${lines.join("\n")}\n`);
  print(
    `[${task.severity.toUpperCase()}] ${printable(task.name)}, id ${printable(task.id)}`,
    `of ${printable(exploration.name)} (${printable(exploration.file)}), run ${run}`,
    "",
  );
  const hide = redactor(config.report.redact);
  // Hide secrets in error messages, because the messages may quote output of the target.
  const message = (text: string): void => void shell.stderr.write(`${redactText(text, config.report, hide)}\n`);
  return interruptible(shell, { message }, async (signal): Promise<ExitStatus> => {
    const beforeStep = async (step: number, uses: readonly string[]): Promise<void> => {
      const next = path[step] ?? task.last;
      if (step !== from || next === undefined) return;
      print(
        `The target and its stores are in the state before step ${step + 1} (${printable(next)}):`,
        ...uses.map((one) => `  ${printable(one)}`),
        "",
      );
      if (shell.waitForEnter === undefined) return;
      shell.stderr.write("Press Enter to continue. ");
      await shell.waitForEnter(signal);
    };
    try {
      const result = await machinery.withServices(config, { signal, onProblem: (error) => message(errorText(error, verbose)) }, () =>
        machinery.replayFile({
          entry,
          config,
          signal,
          path,
          draws: drawsByName(task.draws, exploration),
          seed: exploration.seed,
          nextSecond: exploration.nextSecond,
          rule: task.rule,
          race: task.race,
          fault: task.fault,
          expected: (one) => task.verdict(one).kind === "fails",
          beforeStep: from === undefined ? undefined : beforeStep,
        }),
      );
      if (result === undefined) return 130;
      const shown = redactReplay(result, config.report, hide);
      const verdict = task.verdict(shown);
      const colours = coloursFor(shell.stdout, shell.env);
      print(...task.lines(shown, from ?? 0, colours));
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

/** Converts the value of `--from-step`, which counts from 1, to an index, which counts from 0. Returns `undefined` if the option is absent. */
function firstStep(given: string | undefined, steps: number): number | undefined {
  if (given === undefined) return undefined;
  const step = Number(given);
  if (/^\d+$/.test(given) && step >= 1 && step <= steps) return step - 1;
  throw usage(
    `Invalid --from-step value ${JSON.stringify(given)}: the path of the finding has no such step.`,
    steps === 0 ? "Remove --from-step: the finding is in the root state, so its path has no steps." : `Give a number from 1 to ${steps}.`,
  );
}
