import type { UnitRequest } from "../../messages/lane-messages.ts";

/** A path, and the paths that determine the test data of its steps. `draws` is `undefined` if the path itself determines the data. */
export interface DrawnPath {
  readonly path: readonly number[];
  readonly draws: UnitRequest["draws"];
}

export interface Shrunk extends DrawnPath {
  /** `true` if leaving out any single step would lose the finding. `false` if the search for superfluous steps was stopped early. */
  readonly isMinimal: boolean;
}

/**
 * Shortens a path by leaving out steps, one at a time, as long as the path still shows the finding. The last step is always kept, since it belongs to
 * the finding. Each remaining step was proven necessary, unless time ran out. Remaining steps keep the data that they drew.
 *
 * Steps are left out from the end to the beginning, so that consecutive tries share their first steps and need not execute them again. If a round
 * removed a step, another round follows, since further steps may have become unnecessary.
 *
 * @param reproduces Executes a path, and resolves to `true` if the path shows the finding. Resolves to `undefined` if there is no time left.
 */
export async function shrinkPath(found: DrawnPath, reproduces: (candidate: DrawnPath) => Promise<boolean | undefined>): Promise<Shrunk> {
  let { path } = found;
  let draws = path.map((_, step) => found.draws?.[step] ?? path.slice(0, step));
  const own = (): DrawnPath => ({ path, draws: isOwn(path, draws) ? undefined : draws });
  for (let changed = true; changed;) {
    changed = false;
    for (let step = path.length - 2; step >= 0; step--) {
      const candidate = { path: path.toSpliced(step, 1), draws: draws.toSpliced(step, 1) };
      const verdict = await reproduces(candidate);
      if (verdict === undefined) return { ...own(), isMinimal: false };
      if (!verdict) continue;
      ({ path, draws } = candidate);
      changed = true;
    }
  }
  return { ...own(), isMinimal: true };
}

/** Returns `true` if the path itself determines the data of each step. No other paths then have to be stored for the path. */
function isOwn(path: readonly number[], draws: readonly (readonly number[])[]): boolean {
  return draws.every((draw, step) => draw.length === step && draw.every((action, at) => action === path[at]));
}
