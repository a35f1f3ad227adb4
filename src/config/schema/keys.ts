import type { Field, SectionSpec, Spec } from "./spec.ts";
import { TABLE } from "./table.ts";

/**
 * One key of the table with its full name, for example `exploration.max_steps`. A name that the user chooses is written as `*`, and an item of a list
 * as `[]`.
 */
export interface Key {
  readonly key: string;
  readonly field: Field;
  /**
   * The environment variable that sets the key. `undefined` if the value is neither a scalar nor a list of scalars, or if the key is inside a map or
   * list.
   */
  readonly variable: string | undefined;
}

/** All keys. A section comes before its members. */
export const KEYS: readonly Key[] = collect(TABLE, "", true);

/**
 * Returns the keys of a section.
 * @param single `false` inside a map, list or alternative, where one environment variable cannot identify one key.
 */
function collect(section: SectionSpec, prefix: string, single: boolean): readonly Key[] {
  return Object.entries(section.fields).flatMap(([name, field]) => {
    const key = `${prefix}${name}`;
    return [{ key, field, variable: single && settable(field.spec) ? variableOf(key) : undefined }, ...inside(field.spec, key, single)];
  });
}

function inside(spec: Spec, key: string, single: boolean): readonly Key[] {
  switch (spec.kind) {
    case "section":
      return collect(spec, `${key}.`, single);
    case "map":
      return inside(spec.of, `${key}.*`, false);
    case "list":
      return inside(spec.of, `${key}[]`, false);
    case "either":
      return spec.of.flatMap((one) => inside(one, key, false));
    default:
      return [];
  }
}

function isScalar(spec: Spec): boolean {
  return !["section", "map", "list", "either"].includes(spec.kind);
}

function settable(spec: Spec): boolean {
  if (spec.kind === "list") return isScalar(spec.of);
  if (spec.kind === "either") return spec.of.some(isScalar);
  return isScalar(spec);
}

/** Returns the environment variable of a key: `SEQQA_EXPLORATION_MAX_STEPS` for `exploration.max_steps`. */
export function variableOf(key: string): string {
  return `SEQQA_${key.replaceAll(".", "_").toUpperCase()}`;
}
