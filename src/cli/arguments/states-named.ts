import { SeqqaError } from "../../model/errors.ts";
import { nearest } from "../../model/text/nearest.ts";
import type { StatesOfRun } from "../../run-log/index.ts";
import { usage } from "./run-options.ts";

/**
 * Returns the explorations of a run, with their states, that have the given name or file. Without a name, returns all explorations of the run.
 * @throws SeqqaError `NO_STATES`, `NO_SUCH_EXPLORATION` with exit status 2
 */
export function statesNamed(
  named: string | undefined,
  run: string,
  explorations: readonly StatesOfRun[],
): readonly [StatesOfRun, ...StatesOfRun[]] {
  if (named?.trim() === "") throw usage("The name of the exploration is empty.", "Leave it out, or see: seqqa list.");
  const [first, ...others] = named === undefined ? explorations : explorations.filter(({ name, file }) => named === name || named === file);
  if (first !== undefined) return [first, ...others];
  if (named === undefined) {
    throw new SeqqaError("NO_STATES", `Run ${run} has no exploration that reached a state.`, {
      exitStatus: 2,
      hint: "Run an exploration first: seqqa run.",
    });
  }
  const names = explorations.map(({ name }) => name);
  const close = nearest(named, names);
  throw new SeqqaError("NO_SUCH_EXPLORATION", `Run ${run} has no exploration named ${JSON.stringify(named)}.`, {
    exitStatus: 2,
    hint: close === undefined ? `It has: ${names.slice(0, 5).join(", ") || "none"}.` : `Did you mean ${JSON.stringify(close)}?`,
  });
}
