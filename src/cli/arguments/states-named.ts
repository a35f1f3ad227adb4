import { resolve } from "node:path";
import { explorationPath, type RunPlace } from "./exploration-path.ts";
import { SeqqaError } from "../../model/errors.ts";
import { nearest } from "../../model/text/nearest.ts";
import type { StatesOfRun } from "../../run-log/index.ts";
import { usage } from "./run-options.ts";

/**
 * Returns the explorations of a run, with their states, that have the given name or file. Without a name, returns all explorations of the run. The
 * given file is relative to `place.cwd`.
 * @throws SeqqaError `NO_STATES`, `NO_SUCH_EXPLORATION` with exit status 2
 */
export function statesNamed(
  named: string | undefined,
  run: string,
  explorations: readonly StatesOfRun[],
  place: RunPlace,
): readonly [StatesOfRun, ...StatesOfRun[]] {
  if (named?.trim() === "")
    throw usage("The name of the exploration is empty.", "Give a name (seqqa list shows the names), or leave the argument out.");
  const isNamed = ({ name, file }: StatesOfRun): boolean => named === name || resolve(place.cwd, named!) === explorationPath(file, place);
  const [first, ...others] = named === undefined ? explorations : explorations.filter(isNamed);
  if (first !== undefined) return [first, ...others];
  if (named === undefined) {
    throw new SeqqaError("NO_STATES", `Run ${run} contains no states, because no exploration reached its root state.`, {
      exitStatus: 2,
      hint: "Run an exploration with seqqa run <directory>, or choose another run with --run <id>.",
    });
  }
  const names = explorations.map(({ name }) => name);
  const close = nearest(named, names);
  throw new SeqqaError("NO_SUCH_EXPLORATION", `Run ${run} has no exploration named ${JSON.stringify(named)}.`, {
    exitStatus: 2,
    hint:
      close === undefined
        ? `The explorations of the run are: ${names.slice(0, 5).join(", ") || "none"}.`
        : `Did you mean ${JSON.stringify(close)}?`,
  });
}
