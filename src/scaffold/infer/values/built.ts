import type { Json, PlannedValue } from "../plan.ts";

/** A value to send, and a sample to check against the schema. In the sample, values that are only known at run time are replaced by fixed values. */
export interface Built {
  readonly value: PlannedValue;
  readonly sample: Json;
}

export function constant(value: Json): Built {
  return { value: { kind: "constant", value }, sample: value };
}

/** Returns an object with the given fields. If all values are constants, the result is a constant. */
export function objectOf(entries: readonly (readonly [string, Built])[]): Built {
  const sample = Object.fromEntries(entries.map(([name, { sample }]) => [name, sample]));
  if (entries.every(([, { value }]) => value.kind === "constant")) return constant(sample);
  return { value: { kind: "object", entries: entries.map(([name, { value }]) => [name, value] as const) }, sample };
}

export function listOf(items: readonly Built[]): Built {
  const sample = items.map((one) => one.sample);
  if (items.every(({ value }) => value.kind === "constant")) return constant(sample);
  return { value: { kind: "list", items: items.map(({ value }) => value) }, sample };
}

/**
 * Returns a copy of a value as plain JSON data. Dates (from the YAML parser) become ISO strings. Returns `undefined` for any other object and for
 * data that is nested more than 20 levels deep.
 */
export function asJson(value: unknown, depth: number = 0): Json | undefined {
  if (value === null || typeof value === "boolean" || typeof value === "string") return value;
  if (typeof value === "number") return Number.isFinite(value) ? value : undefined;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? undefined : value.toISOString();
  if (typeof value !== "object" || depth > 20) return undefined;
  if (Array.isArray(value)) {
    const items = value.map((one) => asJson(one, depth + 1));
    return items.every((one) => one !== undefined) ? items : undefined;
  }
  const entries = Object.entries(value).map(([name, one]) => [name, asJson(one, depth + 1)] as const);
  return entries.every(([, one]) => one !== undefined) ? (Object.fromEntries(entries) as Json) : undefined;
}
