import { describe as described } from "../../src/openapi/index.ts";
import { planScaffold } from "../../src/scaffold/infer/index.ts";
import type { ScaffoldPlan } from "../../src/scaffold/infer/plan.ts";
import { expectSound } from "./plan-invariants.ts";

export type Json = Readonly<Record<string, unknown>>;

/** Returns the schema of an object with these fields, all of which are required. */
export function object(properties: Json): Json {
  return { type: "object", required: Object.keys(properties), properties };
}

export function answers(schema: Json, status = "200"): Json {
  return { [status]: { description: "", content: { "application/json": { schema } } } };
}

export function sends(schema: Json): Json {
  return { required: true, content: { "application/json": { schema } } };
}

/**
 * Returns the plan for an API description. @param operations The operations by method and path, e.g. `get /orders/{order_id}`. A path parameter
 * without a declaration is a string. @param more Further members of the description.
 */
export function planApi(operations: Readonly<Record<string, Json>>, more: Json = {}): ScaffoldPlan {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const [call, operation] of Object.entries(operations)) {
    const [method = "", path = ""] = call.split(" ");
    const given = (operation["parameters"] ?? []) as readonly Json[];
    const missing = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!).filter((name) => !given.some((one) => one["name"] === name));
    const parameters = [...missing.map((name) => ({ name, in: "path", required: true, schema: { type: "string" } })), ...given];
    paths[path] = { ...paths[path], [method]: { operationId: call, responses: { "200": { description: "" } }, ...operation, parameters } };
  }
  const plan = planScaffold(described({ openapi: "3.1.0", info: { title: "api", version: "1" }, paths, ...more }, "test"));
  expectSound(plan);
  return plan;
}
