import { writeFileSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import { SeqqaError } from "../../model/errors.ts";
import type { WalkPlace } from "../../model/results/walked.ts";
import { SHORT_ID } from "../../model/results/state-id.ts";
import { printable, redactor, redactPlace } from "../../reports/index.ts";
import { readStates, type StatesOfRun } from "../../run-log/index.ts";
import type { ExitStatus } from "../../run/session/exit-status.ts";
import {
  exploreFurther,
  furtherLines,
  suggest,
  suggestionCode,
  suggestionLines,
  type Candidate,
  type Further,
  type FurtherLane,
  type Suggestions,
} from "../../suggest/index.ts";
import { strengthSummary, type Strength } from "../../strength/index.ts";
import { configFor } from "../arguments/config-for.ts";
import { explorationPath } from "../arguments/exploration-path.ts";
import { statesNamed } from "../arguments/states-named.ts";
import { isFileOfExploration } from "../arguments/one-exploration.ts";
import { usage } from "../arguments/run-options.ts";
import type { Shell } from "../process/shell.ts";
import { shownPath } from "../process/shown-path.ts";
import { laneFlags, type LaneFlags } from "../run/hands-on.ts";
import type { Machinery } from "../run/machinery.ts";
import { flagsOf, onLaneOf, timeLimit, withStrength, type Measuring } from "./strength-command.ts";
import { tellSkipped } from "../run/report-files.ts";

export interface SuggestOptions extends LaneFlags {
  readonly run?: string;
  /** `true` to suggest only rules that detect corruptions that the existing rules do not detect. */
  readonly forGaps?: boolean;
  /** `true` to execute further steps near the states that came nearest to breaking a suggested rule. */
  readonly explore?: boolean;
  readonly maxTime?: string;
  readonly most?: string;
  /** `true` if `--write` has no value. The suggested rules are then written to a file beside the exploration. */
  readonly write?: string | true;
  readonly json?: boolean;
  readonly output?: string;
}

const MOST = 10;

/** Runs `seqqa suggest`: shows invariants that held in every state of a run. Nothing is executed, except with `--for-gaps` and `--explore`. */
export async function suggestCommand(
  named: string | undefined,
  options: SuggestOptions,
  shell: Shell,
  machinery: Machinery,
): Promise<ExitStatus> {
  const most = mostOf(options.most);
  if (options.write === "")
    throw usage("--write has an empty value.", "Give the path of a file. Without a value, --write creates a file next to the exploration.");
  if (options.forGaps === true && options.explore === true)
    throw usage("--for-gaps and --explore cannot be combined.", "Run seqqa suggest twice, with one of the two options each time.");
  const flags = flagsOf(options);
  const config = configFor(
    shell,
    options.forGaps === true || options.explore === true
      ? { directory: ".", ...laneFlags(options, flags) }
      : { directory: ".", file: options.config, flags, allowedStores: "unopened" },
  );
  const { id, explorations, folder, skipped } = readStates(config.report.outputDir, options.run);
  tellSkipped(shell, skipped);
  const chosen = statesNamed(named, id, explorations, { folder, outputDir: config.report.outputDir, cwd: shell.cwd });
  const single = (["write", "forGaps", "explore"] as const).flatMap((key) => (options[key] === undefined ? [] : [FLAGS[key]]))[0];
  if (single !== undefined && chosen.length > 1) {
    throw usage(
      `${single} works for only one exploration, but the run has ${chosen.length} explorations.`,
      `Give the name of one exploration, for example: seqqa suggest ${printable(chosen[0].name)} ${single}`,
    );
  }
  let found: readonly Found[] = chosen.map((of) => ({ of, suggestions: suggest(of) }));
  if (options.forGaps === true) {
    const [{ of, suggestions }] = found as [Found];
    const status = await withStrength(of, { config, run: id, folder, options, shell, machinery }, (strength) => {
      found = [{ of, suggestions: forGaps(suggestions, strength), strength }];
    });
    if (status !== 0) return status;
  }
  if (options.explore === true) {
    const [{ of }] = found as [Found];
    const status = of.isWhole
      ? 0
      : await explored(of, { config, run: id, folder, options, shell, machinery }, (one) => {
          found = [one];
        });
    if (status !== 0) return status;
    if (of.isWhole)
      shell.stderr.write(`note: the run of ${printable(of.name)} explored every state, so there is nothing to explore further.\n`);
  }
  if (options.json === true) {
    const all = found.map(({ of: { name, file }, suggestions, strength, further }) => ({
      name,
      file,
      ...suggestions,
      strength,
      explored: further === undefined ? undefined : { steps: further.steps, states: further.states, refuted: further.refuted },
    }));
    shell.stdout.write(`${JSON.stringify({ run: id, explorations: all }, null, 2)}\n`);
  } else {
    for (const one of found) shell.stdout.write(`${foundLines(one, most).map(printable).join("\n")}\n`);
  }
  if (options.write === undefined) return 0;
  const [{ of, suggestions }] = found as [Found];
  const exploration = explorationPath(of.file, { folder, outputDir: config.report.outputDir, cwd: shell.cwd });
  writeRules({ ...of, exploration }, suggestions.held.slice(0, most), options.write, shell);
  return 0;
}

interface Found {
  readonly of: StatesOfRun;
  readonly suggestions: Suggestions;
  /** The measurement of the gaps, for `--for-gaps`. `undefined` if all rules are suggested. */
  readonly strength?: Strength;
  /** The steps that were executed after the run. `undefined` without `--explore`. */
  readonly further?: Further;
}

/** The options that work for only one exploration. */
const FLAGS = { write: "--write", forGaps: "--for-gaps", explore: "--explore" } as const;

/** Executes further steps on a separate lane. */
async function explored(of: StatesOfRun, measuring: Measuring, done: (found: Found) => void): Promise<ExitStatus> {
  const { config } = measuring;
  const hide = redactor(config.report.redact);
  const shown = (place: WalkPlace): WalkPlace => ({ ...redactPlace(place, hide), id: place.id.slice(0, SHORT_ID) });
  return onLaneOf(of, measuring, async (walk) => {
    const lane: FurtherLane = {
      goTo: async (path) => shown(await walk.goTo(path)),
      place: async () => shown(await walk.place()),
      step: async (action) => {
        const { kind, status, broken, errors, requests } = await walk.step(action);
        return {
          isExecuted: kind === "executed",
          status: status ?? 0,
          isFinding: broken.length + errors.length > 0,
          answers: requests.flatMap(({ request: { method, url }, response }) =>
            response === undefined ? [] : [{ method, url, status: response.status, body: response.body }],
          ),
        };
      },
    };
    const further = await exploreFurther(of, lane, timeLimit(config));
    done({ of: further.of, suggestions: suggest(further.of), further });
  });
}

function foundLines({ of, suggestions, strength, further }: Found, most: number): readonly string[] {
  return [
    ...(strength === undefined ? [] : strengthSummary(of.name, strength)),
    ...(further === undefined ? [] : furtherLines(further)),
    ...suggestionLines(of, suggestions, most, strength !== undefined),
  ];
}

/** Returns only the suggested rules for columns in which the existing rules missed a corruption. */
function forGaps(suggestions: Suggestions, { places }: Strength): Suggestions {
  const gaps = places.filter(({ noticed, tried }) => noticed < tried);
  const isAbout = ({ columns }: Candidate): boolean =>
    gaps.some(({ table, column }) => columns.some((one) => (column === null ? one.startsWith(`${table}.`) : one === `${table}.${column}`)));
  const { held, nearlyHeld, withheld } = suggestions;
  return { ...suggestions, held: held.filter(isAbout), nearlyHeld: nearlyHeld.filter(isAbout), withheld: withheld.filter(isAbout) };
}

function mostOf(text: string | undefined): number {
  const most = text === undefined ? MOST : Number(text);
  if (text?.trim() !== "" && Number.isInteger(most) && most > 0) return most;
  throw usage(`Invalid --most value ${JSON.stringify(text)}.`, "Give an integer of at least 1.");
}

function writeRules(
  of: StatesOfRun & { readonly exploration: string },
  rules: readonly Candidate[],
  where: string | true,
  shell: Shell,
): void {
  if (rules.length === 0) return void shell.stderr.write("note: seqqa wrote no file, because the list of rules is empty.\n");
  // The run log may come from another person, so its path may be wrong. Write beside the exploration only if the path is an existing exploration
  // file.
  const { exploration } = of;
  if (where === true && !isFileOfExploration(exploration, shell.cwd)) {
    throw usage(
      `--write without a value writes next to the exploration, but its file ${printable(of.file)} does not exist.`,
      "Give the path of a file: --write rules.ts",
    );
  }
  const file = where === true ? exploration.replace(/\.explore\.[cm]?[jt]s$/, ".suggested.ts") : resolve(shell.cwd, where);
  const shown = printable(shownPath(file, shell.cwd));
  try {
    writeFileSync(file, suggestionCode(of.name, rules), { flag: "wx" });
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    const problem = code === "EEXIST" ? "already exists, and seqqa did not overwrite it" : `cannot be written (${code ?? String(cause)})`;
    throw new SeqqaError("SUGGESTIONS_NOT_WRITTEN", `The file ${shown} ${problem}.`, {
      exitStatus: 2,
      hint: "Give another path with --write <file>, or delete the file.",
      cause,
    });
  }
  const place = relative(dirname(exploration), file);
  const from = printable(JSON.stringify(place.startsWith("..") ? place : `./${place}`));
  const count = `${rules.length} ${rules.length === 1 ? "rule" : "rules"}`;
  shell.stderr.write(
    `seqqa wrote ${count} to ${shown}. Delete the rules that you do not want, and add these lines to ${printable(of.file)}:\n`,
  );
  shell.stderr.write(`  import { suggested } from ${from};\n  invariants: [...suggested]\n`);
}
