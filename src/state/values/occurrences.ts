import { types } from "node:util";
import type { Facts } from "../canonical/facts.ts";
import { readFieldOfKind, type RowKind } from "../../model/stores/field-of-kind.ts";
import { hasKinds, isOfKind } from "../canonical/row-kinds.ts";
import { JsonText } from "./named.ts";
import { parsedJson } from "./places.ts";
import { pathsOf } from "./rules.ts";

/** Finds the keys and paths that exist in states. An `ignore` pattern that never names an existing key or path is probably misspelt. */
export class Occurrences {
  readonly #patterns: readonly {
    readonly name: string;
    readonly paths: readonly (readonly string[])[];
    readonly ofKind: FieldOfKind | undefined;
  }[];

  /** @param patterns Context keys, paths in the syntax of `ignore`, and fields of rows of one kind. */
  constructor(patterns: readonly string[]) {
    this.#patterns = patterns.map((name) => ({ name, paths: pathsOf(name), ofKind: readFieldOfKind(name) }));
  }

  /**
   * Returns the context keys and the patterns that exist in a state and are not in `known`.
   *
   * @param context All entries of the context, including entries that are not part of the state.
   */
  in({ systems, clients, context: observed }: Facts, context: ReadonlyMap<string, unknown>, known: ReadonlySet<string>): readonly string[] {
    const found = [...context.keys()].filter((key) => !known.has(key));
    const roots: Readonly<Record<string, unknown>> = {
      // The rules of `ignore` apply to values as they are observed, so the observed value is searched if there is one.
      context: new Map([...context].map(([key, value]) => [key, Object.hasOwn(observed, key) ? observed[key] : value])),
      clients,
      systems: Object.fromEntries(Object.entries(systems).map(([name, one]) => [name, one.kind === "value" ? one.value : undefined])),
    };
    for (const { name, paths, ofKind } of this.#patterns) {
      if (known.has(name) || context.has(name)) continue;
      if (ofKind === undefined ? paths.some((path) => isIn(roots, path, 0)) : isInRows(systems, ofKind)) found.push(name);
    }
    return found;
  }
}

interface FieldOfKind {
  readonly field: string;
  readonly kind: RowKind;
}

/** Returns `true` if a row that was added or removed has the field. */
function isInRows(systems: Facts["systems"], { field, kind }: FieldOfKind): boolean {
  return Object.entries(systems).some(
    ([system, observed]) =>
      observed.kind === "rows" &&
      observed.tables.some(
        ({ name, columns, added, removed }) =>
          columns.some((column) => [`${name}.${column.name}`, `${system}.${name}.${column.name}`].includes(field)) &&
          hasKinds(columns, kind) &&
          [...added, ...removed].some((row) => isOfKind(row, columns, kind, () => null)),
      ),
  );
}

/** Returns `true` if a path leads to a value, which may be `null` or `undefined`. */
function isIn(value: unknown, path: readonly string[], at: number): boolean {
  if (at === path.length) return true;
  if (value instanceof JsonText) return isIn(value.value, path, at);
  if (typeof value === "string") return isIn(parsedJson(value), path, at);
  if (typeof value !== "object" || value === null) return false;
  const part = path[at]!;
  if (Array.isArray(value)) return (part === "[]" || part === "*") && value.some((one) => isIn(one, path, at + 1));
  if (part === "*") return [...(types.isMap(value) ? value.values() : Object.values(value))].some((one) => isIn(one, path, at + 1));
  if (types.isMap(value)) return value.has(part) && isIn(value.get(part), path, at + 1);
  return Object.hasOwn(value, part) && isIn((value as Readonly<Record<string, unknown>>)[part], path, at + 1);
}
