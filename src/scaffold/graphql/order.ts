import type { NotInferred } from "../infer/plan.ts";
import type { Draft } from "./draft.ts";

/**
 * Orders actions: an action that returns an id comes before the actions that need it, and deletes come last. All other actions keep the order of the
 * schema. If actions need ids of each other, optional ids are left out.
 * @param redraft Drafts an action again without the given context keys.
 */
export function orderDrafts(
  drafts: readonly Draft[],
  redraft: (draft: Draft, avoid: ReadonlySet<string>) => Draft | undefined,
): { readonly drafts: readonly Draft[]; readonly lost: readonly NotInferred[] } {
  const isDelete = ({ action }: Draft): boolean => action.kind === "delete";
  const givable = new Set(drafts.flatMap(({ action }) => action.produces.map(({ key }) => key)));
  const have = new Set<string>();
  const ordered: Draft[] = [];
  const lost: NotInferred[] = [];
  const missing = ({ needs }: Draft): readonly string[] => [...needs.keys()].filter((key) => givable.has(key) && !have.has(key));
  const put = (draft: Draft): void => {
    ordered.push(draft);
    for (const { key } of draft.action.produces) have.add(key);
  };
  let waiting = drafts.filter((one) => !isDelete(one));
  while (waiting.length > 0) {
    const ready = waiting.filter((one) => missing(one).length === 0);
    if (ready.length > 0) {
      const settled = new Set(ready);
      ready.forEach(put);
      waiting = waiting.filter((one) => !settled.has(one));
      continue;
    }
    const loose = waiting.findIndex((one) => missing(one).every((key) => one.needs.get(key) === "optional"));
    const draft = waiting[Math.max(loose, 0)]!;
    const again = loose === -1 ? undefined : redraft(draft, new Set(missing(draft)));
    waiting = waiting.filter((one) => one !== draft);
    if (again === undefined) {
      for (const key of missing(draft)) {
        const hint = `Every call that returns a value for "${key}" also needs one. Give the key a value in setup.ts, or set it in an action.`;
        lost.push({ action: draft.action.name, what: `argument for ${key}`, hint });
      }
    }
    put(again ?? draft);
  }
  return { drafts: [...ordered, ...drafts.filter(isDelete)], lost };
}
