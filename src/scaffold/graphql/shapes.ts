import { isListType, isNonNullType, isRequiredArgument, type GraphQLField, type GraphQLOutputType, type GraphQLType } from "graphql";

/** Returns `true` if a field can be selected without arguments, and its name is not reserved by GraphQL. */
export function callable(field: GraphQLField<unknown, unknown>): boolean {
  return !isReserved(field.name) && !field.args.some(isRequiredArgument);
}

/** Returns `true` for a name that belongs to introspection, because it begins with two underscores. */
export function isReserved(name: string): boolean {
  return name.startsWith("__");
}

export function isList(type: GraphQLType): boolean {
  return isNonNullType(type) ? isList(type.ofType) : isListType(type);
}

/** Returns the list and non-null marks of a type, without its name: `[!]!`. */
export function wrapping(type: GraphQLOutputType): string {
  return String(type).replace(/\w+/, "");
}

/** Returns the number of nested lists in a type. */
export function listDepth(type: GraphQLType): number {
  if (isNonNullType(type)) return listDepth(type.ofType);
  return isListType(type) ? 1 + listDepth(type.ofType) : 0;
}

/** Returns `true` if there is a reason; an empty one counts. */
export function isDeprecated(reason: string | null | undefined): reason is string {
  return typeof reason === "string";
}
