import type { PlannedAction, PlannedKey, PlannedValue, ScaffoldPlan } from "../infer/plan.ts";

/** Returns all context keys that the actions of a plan use. Keys in the plan's own list come first. */
export function keysOf({ keys, actions }: ScaffoldPlan): readonly PlannedKey[] {
  const listed = new Set(keys.map(({ key }) => key));
  const more = new Set(actions.flatMap(usedIn).filter((key) => !listed.has(key)));
  return [...keys, ...[...more].map((key): PlannedKey => ({ key, type: "unknown" }))];
}

function usedIn({ needs, frees, keeps = [], produces, parameters, body }: PlannedAction): readonly string[] {
  const values = [...parameters.map(({ value }) => value), ...(body === undefined ? [] : [body.value])];
  const sent = produces.flatMap((production) => (production.from === "sent" ? [production.value] : []));
  return [...needs, ...frees, ...keeps.map(({ to }) => to), ...produces.map(({ key }) => key), ...[...values, ...sent].flatMap(keysIn)];
}

function keysIn(value: PlannedValue): readonly string[] {
  if (value.kind === "context") return value.first === undefined ? [value.key] : [value.key, value.first];
  if (value.kind === "list") return value.items.flatMap(keysIn);
  return value.kind === "object" ? value.entries.flatMap(([, of]) => keysIn(of)) : [];
}
