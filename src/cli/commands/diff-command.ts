import { resolve } from "node:path";
import { configFor } from "../arguments/config-for.ts";
import { compareRuns, DIFF_FORMATS, type NamedRun, type RunDiff } from "../../diff/index.ts";
import { SeqqaError } from "../../model/errors.ts";
import { printable } from "../../reports/index.ts";
import { OWN_ONLY, unreadable, writeWhole } from "../../run-log/index.ts";
import type { ExitStatus } from "../../run/session/exit-status.ts";
import { namedRun } from "../arguments/named-run.ts";
import { usage } from "../arguments/run-options.ts";
import type { Shell } from "../process/shell.ts";
import { FILE_HINT, writing } from "../run/report-files.ts";

export interface DiffOptions {
  readonly against?: string;
  readonly baseline?: string;
  readonly format?: string;
  readonly output?: string;
  readonly config?: string;
}

/** Runs `seqqa diff`: prints how the behaviour of the API changed between two stored runs, without executing anything. */
export function diffCommand(runs: readonly string[], options: DiffOptions, shell: Shell): ExitStatus {
  const { format = "text", output, baseline } = options;
  refuseMisuse(runs, options);
  const config = configFor(shell, { directory: ".", file: options.config, allowedStores: "unopened" });
  const [named, second] = baseline === undefined ? runs : [baseline, runs[0]];
  const found = namedRun(named, config.report.outputDir, shell);
  const before = options.against === undefined ? found : { ...found, name: options.against };
  const after = namedRun(second, config.report.outputDir, shell);
  const diff = compared(before, after);
  const isEqual = diff.parts.length === 0;
  if (isEqual) for (const note of diff.notes) shell.stderr.write(`note: ${printable(note)}\n`);
  const render = DIFF_FORMATS[format]!;
  if (output !== undefined && output !== "-") {
    const file = resolve(shell.cwd, output);
    writing(file, () => writeWhole(file, [render(diff)], OWN_ONLY), FILE_HINT);
  } else if (!isEqual) shell.stdout.write(render(diff));
  return isEqual ? 0 : 1;
}

function refuseMisuse(runs: readonly string[], { against, baseline, output }: DiffOptions): void {
  const example =
    "Compare two stored runs: seqqa diff <before> [<after>]. Or compare with a file: seqqa diff --baseline base/results.json --against main";
  const isEmpty = (value: string | undefined): boolean => value?.trim() === "";
  if (runs.some(isEmpty)) throw usage("The name of a run is empty.", example);
  if (isEmpty(against) || isEmpty(baseline)) throw usage(`${isEmpty(against) ? "--against" : "--baseline"} has an empty value.`, example);
  if (output === "") throw usage("--output has an empty value.", "Give the path of a file, or - for standard output.");
  if (against !== undefined && baseline === undefined) {
    throw usage(
      "--against only names the branch or commit. seqqa diff also needs a results.json of this branch or commit.",
      "Add --baseline <path>, with the results.json that a run on that branch or commit wrote.",
    );
  }
  if (baseline === undefined && runs.length === 0) throw usage("seqqa diff needs the run to compare with.", example);
  if (runs.length > (baseline === undefined ? 2 : 1)) {
    throw usage(
      `You gave ${runs.length} runs${baseline === undefined ? "" : " and --baseline"}, but seqqa diff compares two runs.`,
      example,
    );
  }
}

function compared(before: NamedRun, after: NamedRun): RunDiff {
  let diff: RunDiff | undefined;
  try {
    diff = compareRuns(before, after);
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    throw unreadable(`${before.name} or ${after.name}`, cause.message, cause);
  }
  if (diff !== undefined) return diff;
  const listed = ({ document: { explorations, journeys } }: NamedRun): string =>
    [...explorations, ...journeys]
      .slice(0, 5)
      .map(({ name }) => name)
      .join(", ") || "nothing";
  throw new SeqqaError("DIFFERENT_EXPLORATIONS", `${before.name} and ${after.name} have no exploration and no journey in common.`, {
    exitStatus: 2,
    hint: `Compare runs of the same explorations. The first run has ${listed(before)}; the second run has ${listed(after)}.`,
  });
}
