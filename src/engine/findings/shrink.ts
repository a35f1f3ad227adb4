import type { UnitRequest } from "../../messages/lane-messages.ts";

/** A path, and by which paths the data of its steps is drawn, where it is not the path itself. */
export interface DrawnPath {
  readonly path: readonly number[];
  readonly draws: UnitRequest["draws"];
}

export interface Shrunk extends DrawnPath {
  /** No single step can be left out. `false`: it was stopped before that was known. */
  readonly isMinimal: boolean;
}

/**
 * Leaves steps out of a path, one at a time, for as long as what is left still reproduces; every step that stays but the last, which names the
 * finding, was proven necessary for the path that is returned. A pass goes from the end to the beginning, so that each try has the steps before
 * the one left out in common with the try before it, and need not execute them again. After a pass in which something could be left out there
 * is another one: what a step was needed for may be gone. A step keeps drawing what it drew.
 *
 * @param reproduces Tries a path. `undefined`: there is no time left.
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

/** Whether every step draws by the path itself. */
function isOwn(path: readonly number[], draws: readonly (readonly number[])[]): boolean {
  return draws.every((draw, step) => draw.length === step && draw.every((action, at) => action === path[at]));
}
