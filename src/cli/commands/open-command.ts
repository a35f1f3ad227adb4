import { SHORT_ID } from "../../model/results/state-id.ts";
import { openedPath, printable } from "../../reports/index.ts";
import { findStates, readFindings, readStoredRun, type StoredExploration } from "../../run-log/index.ts";
import type { ExitStatus } from "../../run/session/exit-status.ts";
import { configFor } from "../arguments/config-for.ts";
import { drawsByName } from "../arguments/draws-by-action.ts";
import { findFinding, matching, type FoundFinding } from "../arguments/find-finding.ts";
import { explorationPath, type RunPlace } from "../arguments/exploration-path.ts";
import { isExplorationFile } from "../arguments/find-explorations.ts";
import { usage } from "../arguments/run-options.ts";
import type { Shell } from "../process/shell.ts";
import { handsOn, laneFlags, type LaneFlags } from "../run/hands-on.ts";
import type { Machinery } from "../run/machinery.ts";

export interface OpenOptions extends LaneFlags {
  readonly run?: string;
  readonly output?: string;
  readonly inspect?: boolean;
}

interface Goal {
  readonly folder: RunPlace["folder"];
  readonly exploration: Pick<StoredExploration, "name" | "file" | "seed" | "beginning">;
  readonly path: readonly string[];
  readonly draws: readonly (readonly string[])[] | undefined;
  /** The id of the state. `undefined` if the user named a finding, because the id of its state is unknown. */
  readonly id: string | undefined;
  readonly title: string;
}

const STATE = /^[0-9a-f]{8,16}$/;

/**
 * Runs `seqqa open`: brings a lane to a state of a stored run, or to the state of a finding, and keeps the lane running. Returns exit status 3 if the
 * state was not reached.
 */
export async function openCommand(wanted: string, options: OpenOptions, shell: Shell, machinery: Machinery): Promise<ExitStatus> {
  const flags = options.output === undefined ? [] : [{ key: "report.output_dir", flag: "--output", value: options.output }];
  const config = configFor(shell, { directory: ".", ...laneFlags(options, flags) });
  const goal = goalOf(wanted, config.report.outputDir, options.run);
  const { exploration, path, draws, id, title, folder } = goal;
  // Load only exploration files here. The run log may come from another person and could name any other module.
  if (!isExplorationFile(exploration.file))
    throw usage(
      `seqqa does not load ${printable(exploration.file)}, which the run names as its exploration: the name does not end in .explore.ts, .mts, .js or .mjs.`,
      "Choose another run with --run <id>, or run the exploration again.",
    );
  const hands = { shell, machinery, verbose: options.verbose === true, inspect: options.inspect === true };
  const entry = explorationPath(exploration.file, { folder, outputDir: config.report.outputDir, cwd: shell.cwd });
  const input = { entry, config, seed: exploration.seed, known: exploration.beginning };
  return handsOn({ ...input, actions: path }, hands, async (walk, output, keep) => {
    output.print(title, `of ${printable(exploration.name)} (${printable(exploration.file)})`, "");
    await walk.goTo([], draws);
    for (const [index, action] of path.entries()) {
      const step = await walk.step(action);
      output.step(index + 1, step);
      if (step.kind === "executed") continue;
      output.print("", `The state was not reached, because the action ${printable(action)} was not executed.`);
      return 3;
    }
    const place = await walk.place();
    output.place(place);
    if (id !== undefined && place.id !== id) {
      output.print(
        "",
        `State ${id.slice(0, SHORT_ID)} was not reached: its path now leads to state ${place.id.slice(0, SHORT_ID)}. Run the exploration again.`,
      );
      return 3;
    }
    return keep(0);
  });
}

/**
 * Returns the state or finding whose id the user gave.
 * @throws SeqqaError with exit status 2 if the run has no such finding or state, or several
 */
function goalOf(wanted: string, outputDir: string, run: string | undefined): Goal {
  const { id: found, data } = readFindings(outputDir, run);
  const { folder } = data.document;
  const named = wanted.toLowerCase();
  const states = STATE.test(named) ? findStates(outputDir, found, named) : [];
  if (states.length > 1) {
    const ids = states
      .slice(0, 8)
      .map(({ id }) => id)
      .join(", ");
    throw usage(
      `The id ${JSON.stringify(wanted)} is ambiguous, because the ids of ${states.length} states of run ${found} begin with this text.`,
      `Give more digits of one of these ids: ${ids}.`,
    );
  }
  const [state] = states;
  const isFinding = matching(wanted, data.document.explorations).length > 0;
  if (state === undefined && !isFinding)
    throw usage(
      `Run ${found} has no finding and no state ${JSON.stringify(wanted)}.`,
      "Copy the id of a finding or state from a report of this run, or choose another run with --run <id>.",
    );
  if (state !== undefined && !isFinding) {
    const { exploration, path, id } = state;
    return { exploration, folder, path, draws: undefined, id, title: `State ${id.slice(0, SHORT_ID)}, run ${found}` };
  }
  return { folder, ...ofFinding(findFinding(wanted, found, data.document), readStoredRun(outputDir, found).explorations, found) };
}

function ofFinding(found: FoundFinding, stored: readonly StoredExploration[], run: string): Omit<Goal, "folder"> {
  const { exploration } = found;
  const beginning = stored.find(({ file }) => file === exploration.file)?.beginning;
  const finding = found.kind === "race" ? found.race : found.violation;
  const isFault = found.kind === "violation" && found.violation.fault !== undefined;
  const id = printable(finding.id);
  const which =
    found.kind === "race"
      ? `in which the calls of finding ${id} are sent`
      : `${isFault ? "before the last step" : "at the end of the path"} of finding ${id}`;
  return {
    exploration: { name: exploration.name, file: exploration.file, seed: exploration.seed, beginning },
    path: openedPath(finding),
    draws: drawsByName(finding.draws, exploration),
    id: undefined,
    title: `The state ${which}, run ${run}`,
  };
}
