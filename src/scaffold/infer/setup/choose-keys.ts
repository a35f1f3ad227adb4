import type { GivenKey, PlannedAction, PlannedKey } from "../plan.ts";

const MOST_KEYS = 8;
/** The minimum share of all actions that must become callable before the user is asked for another context key. */
const LEAST_SHARE = 0.005;

/**
 * Chooses the few context keys for which the user is asked, so that most actions can be called. Keys that make many actions callable come first. If
 * an action needs several keys, these keys can be chosen together. A key that some action provides is chosen only if that action cannot be called.
 * @param known The keys that the login sets.
 */
export function chooseKeys(
  actions: readonly PlannedAction[],
  keys: readonly PlannedKey[],
  known: readonly string[] = [],
): readonly GivenKey[] {
  const reach = new Reach(actions);
  const types = new Map(keys.map(({ key, type }) => [key, type]));
  const least = Math.max(1, actions.length * LEAST_SHARE);
  const chosen: GivenKey[] = [];
  const given = new Set<string>(known);
  for (let before = reach.of(given); chosen.length < MOST_KEYS && before.actions.size < actions.length;) {
    const best = bestOf(reach, given, before, MOST_KEYS - chosen.length);
    if (best === undefined || best.gain * best.keys.length < least) break;
    for (const key of best.keys) {
      given.add(key);
      const after = reach.of(given);
      const example = actions.find((action) => action.needs.includes(key));
      chosen.push({
        key,
        type: types.get(key) ?? "unknown",
        unlocks: after.actions.size - before.actions.size,
        reached: after.actions.size,
        ...(example !== undefined && { example }),
      });
      before = after;
    }
  }
  return chosen;
}

/**
 * Returns the number of actions that can be called if the user sets no key.
 * @param known The keys that the login sets.
 */
export function reachable(actions: readonly PlannedAction[], known: readonly string[] = []): number {
  return new Reach(actions).of(new Set(known)).actions.size;
}

interface Reached {
  readonly actions: ReadonlySet<PlannedAction>;
  readonly keys: ReadonlySet<string>;
}

/**
 * Returns the set of keys that makes most additional actions callable in proportion to the number of its keys. If several sets are equally good,
 * returns the first of these sets.
 */
function bestOf(
  reach: Reach,
  given: ReadonlySet<string>,
  before: Reached,
  most: number,
): { readonly keys: readonly string[]; readonly gain: number } | undefined {
  let best: { readonly keys: readonly string[]; readonly gain: number } | undefined;
  for (const keys of reach.missing(before)) {
    if (keys.length > most) continue;
    const gain = (reach.of(new Set([...given, ...keys])).actions.size - before.actions.size) / keys.length;
    if (best === undefined || gain > best.gain) best = { keys, gain };
  }
  return best;
}

/** Computes which actions can be called if the given keys have values. An action that can be called provides keys to other actions. */
class Reach {
  readonly #actions: readonly PlannedAction[];
  readonly #byKey = new Map<string, PlannedAction[]>();

  constructor(actions: readonly PlannedAction[]) {
    this.#actions = actions;
    for (const action of actions) {
      for (const key of action.needs) {
        const users = this.#byKey.get(key);
        if (users === undefined) this.#byKey.set(key, [action]);
        else users.push(action);
      }
    }
  }

  of(given: ReadonlySet<string>): Reached {
    const keys = new Set<string>();
    const reached = new Set<PlannedAction>();
    const left = new Map<PlannedAction, number>();
    const fresh = [...given];
    const call = (action: PlannedAction): void => {
      reached.add(action);
      for (const { key } of action.produces) fresh.push(key);
    };
    for (const action of this.#actions) {
      if (action.needs.length === 0) call(action);
      else left.set(action, action.needs.length);
    }
    for (let key = fresh.pop(); key !== undefined; key = fresh.pop()) {
      if (keys.has(key)) continue;
      keys.add(key);
      for (const action of this.#byKey.get(key) ?? []) {
        const more = left.get(action)! - 1;
        left.set(action, more);
        if (more === 0) call(action);
      }
    }
    return { actions: reached, keys };
  }

  /**
   * Returns, for each action that cannot be called, the set of the keys that it lacks, and one set for each single key of this set. Equal sets are
   * returned once.
   */
  missing({ actions, keys }: Reached): readonly (readonly string[])[] {
    const sets = new Map<string, readonly string[]>();
    for (const action of this.#actions) {
      if (actions.has(action)) continue;
      const lacking = action.needs.filter((key) => !keys.has(key));
      for (const set of [lacking, ...lacking.map((key) => [key])]) sets.set(JSON.stringify(set.toSorted()), set);
    }
    return [...sets.values()];
  }
}
