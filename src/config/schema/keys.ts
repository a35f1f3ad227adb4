import type { Field, SectionSpec, Spec } from "./spec.ts";
import { TABLE } from "./table.ts";

/**
 * A configuration key with its full name, for example `exploration.max_steps`. In the name, `*` means a name that the user chooses, and `[]` an item
 * of a list.
 */
export interface Key {
  readonly key: string;
  readonly field: Field;
  /**
   * The environment variable that sets the key. `undefined` if no variable can set it, because its value is a section or the key is inside a map or
   * list.
   */
  readonly variable: string | undefined;
}

/** All configuration keys. A section comes before its members. */
export const KEYS: readonly Key[] = collect(TABLE, "", true);

/**
 * Returns all keys of a section and of the sections inside it.
 * @param single `false` inside a map or list, where no environment variable can set a key.
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

/** Returns the name of the environment variable for a key: `SEQQA_EXPLORATION_MAX_STEPS` for `exploration.max_steps`. */
export function variableOf(key: string): string {
  return `SEQQA_${key.replaceAll(".", "_").toUpperCase()}`;
}
