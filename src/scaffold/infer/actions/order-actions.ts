import type { Draft } from "./draft-action.ts";
import type { NotInferred } from "../plan.ts";

export interface Ordered {
  readonly drafts: readonly Draft[];
  /** Path parameters whose values no action can provide, because each action that returns such a value itself needs the value. */
  readonly lost: readonly NotInferred[];
  readonly lostKeys: ReadonlySet<string>;
}

/**
 * Orders actions: an action that returns an id comes before the actions that need it. Deletes come last, and deletes of nested items come before
 * deletes of the items that contain them. All other actions keep the order of the description. If actions need each other's ids, one of them is
 * drafted without an id: an optional field is left out, a required field gets a constant, and a path parameter is reported in `lost`.
 * @param redraft Drafts an action again without the given context keys.
 */
export function orderActions(drafts: readonly Draft[], redraft: (draft: Draft, avoid: ReadonlySet<string>) => Draft): Ordered {
  const isDelete = ({ call }: Draft): boolean => call.operation.method === "delete";
  const producedByAny = new Set(drafts.flatMap(({ action }) => action.produces.map(({ key }) => key)));
  const have = new Set<string>();
  const lost: NotInferred[] = [];
  const lostKeys = new Set<string>();
  const ordered: Draft[] = [];
  const missing = (draft: Draft): readonly string[] => [...draft.needs.keys()].filter((key) => producedByAny.has(key) && !have.has(key));
  let waiting = drafts.filter((one) => !isDelete(one));
  const settle = (): void => {
    for (let settled = -1; settled !== ordered.length;) {
      settled = ordered.length;
      waiting = waiting.filter((draft) => {
        if (missing(draft).length > 0) return true;
        ordered.push(draft);
        for (const { key } of draft.action.produces) have.add(key);
        return false;
      });
    }
  };
  const lose = (keys: readonly string[]): void => {
    for (const key of keys) {
      have.add(key);
      lostKeys.add(key);
      for (const one of drafts) {
        const need = one.needs.get(key);
        if (need !== "path" && (need === undefined || !isDelete(one))) continue;
        const hint = `Only calls that need "${key}" return its value. Give the key a value in setup.ts, or set it in an action.`;
        lost.push({ action: one.action.name, what: `path parameter of ${key}`, hint });
      }
    }
  };
  for (settle(); waiting.length > 0; settle()) {
    const at = weakest(waiting, missing);
    const draft = waiting[at]!;
    const keys = missing(draft);
    const loose = keys.filter((key) => draft.needs.get(key) !== "path");
    if (loose.length > 0) waiting[at] = redraft(draft, new Set(loose));
    else lose(keys);
  }
  const deletes = drafts.filter(isDelete).sort((a, b) => b.call.path.segments.length - a.call.path.segments.length);
  for (const draft of deletes) {
    lose(missing(draft));
    for (const { key } of draft.action.produces) have.add(key);
  }
  return { drafts: [...ordered, ...deletes], lost, lostKeys };
}

/**
 * Returns the index of the action that should be drafted without the ids that are not available yet. Preferred are actions that need these ids only
 * for optional fields, then actions that need them for no path parameter. Among equal actions, one that returns ids itself is preferred.
 */
function weakest(waiting: readonly Draft[], missing: (draft: Draft) => readonly string[]): number {
  const cost = (draft: Draft): number => {
    const needs = missing(draft).map((key) => draft.needs.get(key));
    return (needs.includes("path") ? 4 : needs.includes("required") ? 2 : 0) + (draft.action.produces.length > 0 ? 0 : 1);
  };
  let best = 0;
  waiting.forEach((draft, at) => {
    if (cost(draft) < cost(waiting[best]!)) best = at;
  });
  return best;
}
