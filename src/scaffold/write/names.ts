import type { PlannedAction, ScaffoldPlan } from "../infer/plan.ts";
import { callOf } from "./code/field.ts";
import { identifier, slug, unique } from "./code/identifier.ts";
import type { Manifest } from "./merge/manifest.ts";

export interface NamedAction {
  readonly action: PlannedAction;
  /**
   * The HTTP method and URL path of the operation, for example `POST /orders`. This text identifies the action when the folder is generated again.
   */
  readonly id: string;
  readonly name: string;
  readonly identifier: string;
  readonly file: string;
  /** The context key that counts the items which the action creates. `undefined` if the action creates no items. */
  readonly counter: string | undefined;
}

/** The generated file that joins the actions of all files. */
export const INDEX = "actions/index.ts";

/**
 * Chooses the names and files of all actions. Actions that were generated before keep their names and files, and new actions get different names.
 * @param isForeign Returns `true` for a file that `seqqa scaffold` did not write.
 */
export function nameActions(plan: ScaffoldPlan, manifest: Manifest, isForeign: (file: string) => boolean): readonly NamedAction[] {
  const before = Object.entries(manifest.actions);
  const names = new Set(before.map(([, { name }]) => name));
  const identifiers = new Map<string, Set<string>>();
  for (const [, { file, identifier: own }] of before) takenIn(file, identifiers).add(own);
  const counters = counterNames(plan);
  const files = new Map<string, string>();
  const taken = new Set<string>();
  const fileOf = (group: string): string => {
    const known = files.get(group);
    if (known !== undefined) return known;
    const start = slug(group, "api");
    for (let number = 1; ; number++) {
      const file = `actions/${start}${number === 1 ? "" : `-${number}`}.ts`;
      if (file === INDEX || taken.has(file) || isForeign(file)) continue;
      files.set(group, file);
      taken.add(file);
      return file;
    }
  };
  const ids = new Set<string>();
  return plan.actions.map((action) => {
    const id = unique(callOf(action), ids, " ");
    const counter = action.kind === "create" ? counters.get(action.resource ?? action.name) : undefined;
    const own = Object.hasOwn(manifest.actions, id) ? manifest.actions[id] : undefined;
    if (own !== undefined) return { action, id, name: own.name, identifier: own.identifier, file: own.file, counter };
    const file = fileOf(action.group);
    const name = unique(action.name, names, "_");
    return { action, id, name, identifier: unique(identifier(name), takenIn(file, identifiers)), file, counter };
  });
}

/** Returns a context key for counting the items of each resource that actions create. These keys differ from all other keys of the plan. */
function counterNames({ actions, keys }: ScaffoldPlan): ReadonlyMap<string, string> {
  const taken = new Set(keys.map(({ key }) => key));
  const counters = new Map<string, string>();
  for (const { kind, resource, name } of actions) {
    const of = resource ?? name;
    if (kind !== "create" || counters.has(of)) continue;
    counters.set(of, unique(`${slug(of, "thing").replaceAll("-", "_")}_count`, taken, "_"));
  }
  return counters;
}

function takenIn(file: string, identifiers: Map<string, Set<string>>): Set<string> {
  const taken = identifiers.get(file) ?? new Set<string>();
  identifiers.set(file, taken);
  return taken;
}
