import { expect } from "vitest";
import { Context } from "../../src/model/context/context.ts";
import type { PlannedValue, ScaffoldPlan } from "../../src/scaffold/infer/plan.ts";

/** Checks the properties that every plan must have, whatever the description says. */
export function expectSound(plan: ScaffoldPlan): void {
  const methods = ["get", "getRequired", "has", "set", "delete", "toJSON", "data"];
  const names = plan.actions.map(({ name }) => name);
  expect(names.filter((name) => !/^[a-z][a-z0-9_]*$/.test(name))).toEqual([]);
  expect(new Set(names).size).toBe(names.length);
  expect(
    plan.actions.map(({ group }) => group).filter((group) => !/^[a-z0-9-]+$/.test(group) || /^(con|aux|nul|prn|com\d|lpt\d)$/.test(group)),
  ).toEqual([]);
  const keys = plan.keys.map(({ key }) => key);
  expect(keys.filter((key) => !/^[a-z][a-z0-9_]*$/.test(key) || methods.includes(key) || key in {})).toEqual([]);
  expect(new Set(keys).size).toBe(keys.length);
  for (const key of keys) new Context<Record<string, number>>().set(key, 1);
  const resources = plan.resources.map(({ name }) => name);
  expect(new Set(resources).size).toBe(resources.length);
  expect(plan.resources.flatMap(({ parent }) => (parent === undefined || resources.includes(parent) ? [] : [parent]))).toEqual([]);
  expect(plan.actions.flatMap(({ resource }) => (resource === undefined || resources.includes(resource) ? [] : [resource]))).toEqual([]);

  const producedByAny = new Set(plan.actions.flatMap(({ produces }) => produces.map(({ key }) => key)));
  const keptByAny = new Set(plan.actions.flatMap(({ keeps = [] }) => keeps.map(({ to }) => to)));
  // A restored id must be one that another action keeps.
  expect(plan.actions.flatMap(({ restores }) => (restores === undefined || keptByAny.has(restores.from) ? [] : [restores]))).toEqual([]);
  const noted = new Set(plan.notInferred.map(({ action }) => action));
  const have = new Set<string>();
  for (const { name, needs, produces, parameters, body, operation, frees } of plan.actions) {
    for (const key of needs) {
      expect(keys).toContain(key);
      // A key must be produced by an earlier action, or a note must name the action that lacks it.
      if (!have.has(key)) expect([name, key, noted.has(name)]).toEqual([name, key, true]);
    }
    for (const { key } of produces) have.add(key);
    expect(frees.filter((key) => !producedByAny.has(key) && !keptByAny.has(key))).toEqual([]);
    const used = new Set<string>();
    for (const { value } of parameters) keysIn(value, used);
    if (body !== undefined) keysIn(body.value, used);
    expect([...used].sort()).toEqual([...needs].sort());
    const path = operation.parameters.filter((one) => one.in === "path").map((one) => one.name);
    expect(parameters.filter((one) => one.in === "path").map((one) => one.name)).toEqual(path);
  }
  expect(plan.notInferred.filter(({ action }) => !names.includes(action))).toEqual([]);
  expect(plan.pathParameters.inferred).toBeLessThanOrEqual(plan.pathParameters.all);
}

function keysIn(value: PlannedValue, into: Set<string>): void {
  if (value.kind === "context") into.add(value.key);
  if (value.kind === "object") for (const [, inner] of value.entries) keysIn(inner, into);
  if (value.kind === "list") for (const inner of value.items) keysIn(inner, into);
}
