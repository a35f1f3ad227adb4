/**
 * Executes an action. Resolves to `true` if it worked, `false` if it may work in a later state, and `undefined` if no further actions may be executed.
 */
export type TryOne = (action: number) => Promise<boolean | undefined>;

/** Tries all waiting actions in turn. Actions that did not work are tried again in the next round. Ends when no action works in a whole round. */
export async function inRounds(waiting: ReadonlySet<number>, tryOne: TryOne): Promise<void> {
  for (let before = -1; before !== waiting.size;) {
    before = waiting.size;
    for (const action of waiting) if ((await tryOne(action)) === undefined) return;
  }
}

/**
 * Tries the waiting actions in each state. If no waiting action works, tries the `others` until one of them works. An action of `others` that worked
 * is not tried again.
 */
export async function wantedFirst(waiting: ReadonlySet<number>, others: readonly number[], tryOne: TryOne): Promise<void> {
  const left = [...others];
  while (waiting.size > 0) {
    let works: boolean | undefined = false;
    for (const action of waiting) {
      const isDone = await tryOne(action);
      if (isDone === undefined) return;
      works ||= isDone;
    }
    for (let at = 0; !works; at++) {
      if (at === left.length) return;
      works = await tryOne(left[at]!);
      if (works === undefined) return;
      if (works) left.splice(at, 1);
    }
  }
}
