import type { PlannedValue, ScaffoldPlan } from "../../src/scaffold/infer/plan.ts";

/**
 * Returns each place of a plan that receives a context key, with the origin of the key: `getOrder path order_id <- placeOrder body data.order_id`.
 * The names of the keys are left out.
 */
export function edgesOf(plan: ScaffoldPlan): string[] {
  const sources = new Map<string, string[]>();
  for (const { operation, produces } of plan.actions) {
    for (const production of produces) {
      const what = production.from === "body" ? `body ${production.path.join(".")}` : production.from;
      sources.set(production.key, [...(sources.get(production.key) ?? []), `${operation.id} ${what}`]);
    }
  }
  const edges: string[] = [];
  for (const { operation, parameters, body } of plan.actions) {
    const walk = (value: PlannedValue, place: string): void => {
      if (value.kind === "object") for (const [name, inner] of value.entries) walk(inner, place === "" ? name : `${place}.${name}`);
      if (value.kind === "list") for (const inner of value.items) walk(inner, `${place}[]`);
      if (value.kind === "context") edges.push(`${operation.id} ${place} <- ${(sources.get(value.key) ?? ["nothing"]).join(", ")}`);
    };
    for (const { name, in: where, value } of parameters) walk(value, `${where} ${name}`);
    if (body !== undefined) walk(body.value, "");
  }
  return edges.sort();
}
