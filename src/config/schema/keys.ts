import type { Field, SectionSpec, Spec } from "./spec.ts";
import { TABLE } from "./table.ts";

/** One key of the table with its full name, e.g. `exploration.max_steps`. `*` and `[]` stand for names and items that the user chooses. */
export interface Key {
  readonly key: string;
  readonly field: Field;
  /** The environment variable that sets the key; `undefined` if the value is neither a scalar nor a list of scalars. */
  readonly variable: string | undefined;
}

/** Every key, sections before their members. */
export const KEYS: readonly Key[] = collect(TABLE, "", true);

/** Lists the keys of a section. `single` is `false` below a map, list or alternative, where one variable cannot stand for one key. */
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

/** Returns the environment variable of a key: `exploration.max_steps` -> `SEQQA_EXPLORATION_MAX_STEPS`. */
export function variableOf(key: string): string {
  return `SEQQA_${key.replaceAll(".", "_").toUpperCase()}`;
}
