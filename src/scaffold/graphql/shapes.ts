import { isListType, isNonNullType, isRequiredArgument, type GraphQLField, type GraphQLOutputType, type GraphQLType } from "graphql";

/** Returns `true` if a field needs no arguments and its name is not reserved by GraphQL. */
export function callable(field: GraphQLField<unknown, unknown>): boolean {
  return !isReserved(field.name) && !field.args.some(isRequiredArgument);
}

/** Returns `true` for a name that begins with two underscores. GraphQL reserves these names for introspection. */
export function isReserved(name: string): boolean {
  return name.startsWith("__");
}

export function isList(type: GraphQLType): boolean {
  return isNonNullType(type) ? isList(type.ofType) : isListType(type);
}

/** Returns the list and non-null symbols of a type without its name, for example `[!]!`. */
export function wrapping(type: GraphQLOutputType): string {
  return String(type).replace(/\w+/, "");
}

export function listDepth(type: GraphQLType): number {
  if (isNonNullType(type)) return listDepth(type.ofType);
  return isListType(type) ? 1 + listDepth(type.ofType) : 0;
}

/** Returns `true` if a field has a deprecation reason, even an empty one. */
export function isDeprecated(reason: string | null | undefined): reason is string {
  return typeof reason === "string";
}
