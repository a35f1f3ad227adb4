import type { UnitRequest } from "../../messages/lane-messages.ts";

/** A path, and the paths from which the data of its steps is drawn. `draws` is `undefined` if the data is drawn from the path itself. */
export interface DrawnPath {
  readonly path: readonly number[];
  readonly draws: UnitRequest["draws"];
}

export interface Shrunk extends DrawnPath {
  /** `true` if no single step can be left out. `false` if shrinking stopped before that was known. */
  readonly isMinimal: boolean;
}

/**
 * Leaves steps out of a path, one at a time, while the rest still reproduces the finding. The last step is kept, since it names the finding. Every
 * other step of the returned path was proven necessary, unless time ran out. Steps keep the data that they drew.
 *
 * A pass goes from the end to the beginning. Each try then shares its first steps with the previous try, and need not execute them again. After a
 * pass that removed a step there is another pass, since other steps may have become unnecessary.
 *
 * @param reproduces Executes a path, and resolves to `true` if it shows the finding. `undefined`: there is no time left.
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

/** Returns `true` if every step draws its data from the path itself. */
function isOwn(path: readonly number[], draws: readonly (readonly number[])[]): boolean {
  return draws.every((draw, step) => draw.length === step && draw.every((action, at) => action === path[at]));
}
