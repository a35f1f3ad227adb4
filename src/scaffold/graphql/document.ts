import { isCompositeType, getNamedType } from "graphql";
import type { Variable } from "./arguments.ts";
import type { RootField } from "./root-fields.ts";

/** Returns the text of an operation with one field. All names in it are GraphQL's own: letters, digits and `_`. */
export function documentOf({ kind, field }: RootField, variables: readonly Variable[], selection: readonly string[]): string {
  const declared = variables.length === 0 ? "" : `(${variables.map(({ name, type }) => `$${name}: ${type}`).join(", ")})`;
  const args = variables.length === 0 ? "" : `(${variables.map(({ name }) => `${name}: $${name}`).join(", ")})`;
  const head = `${kind} ${field.name.charAt(0).toUpperCase()}${field.name.slice(1)}${declared} {`;
  if (!isCompositeType(getNamedType(field.type))) return [head, `  ${field.name}${args}`, "}"].join("\n");
  return [head, `  ${field.name}${args} {`, ...selection.map((line) => `    ${line}`), "  }", "}"].join("\n");
}
