import type { PlannedAction, ScaffoldPlan } from "../plan.ts";

const isRead = ({ operation: { method } }: PlannedAction): boolean => method === "get" || method === "head";

/**
 * Finds the data that everybody may read, for the rule `ownership`.
 * @param isOpen Returns `true` for an action that needs no login.
 */
export function publicData(
  actions: readonly PlannedAction[],
  isOpen: (action: PlannedAction) => boolean,
): Required<Pick<ScaffoldPlan, "shared" | "publicCalls">> {
  const open = actions.filter((action) => isRead(action) && isOpen(action));
  const others = keysOfAnswers(actions.filter((action) => !open.includes(action)));
  const keys = [...keysOfAnswers(open)].filter((key) => !others.has(key));
  // For example, everybody is allowed to read a post, but only its author to change it. The rule has to try such changes, so the key of the post must
  // not be in `shared`.
  const changed = new Set(actions.flatMap(changedKey));
  const shared = keys.filter((key) => !changed.has(key));
  const publicCalls = actions.filter((action) => {
    const owned = action.needs.filter((key) => !shared.includes(key));
    const isPublic = open.includes(action) || (changedKey(action).length === 0 && owned.every((key) => keys.includes(key)));
    return owned.length > 0 && isPublic;
  });
  return { shared, publicCalls };
}

const keysOfAnswers = (actions: readonly PlannedAction[]): ReadonlySet<string> =>
  new Set(actions.flatMap(({ produces }) => produces.map(({ key }) => key)));

/** Returns the context key of the item that an action changes or deletes at the item's own path. Returns an empty list for other actions. */
function changedKey({ operation: { method, path }, parameters }: PlannedAction): readonly string[] {
  if (!["put", "patch", "delete"].includes(method)) return [];
  const last = parameters.find(({ name, in: place }) => place === "path" && path.endsWith(`{${name}}`));
  return last?.value.kind === "context" ? [last.value.key] : [];
}
