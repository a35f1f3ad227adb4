import { isListType, isNonNullType, isRequiredArgument, type GraphQLField, type GraphQLOutputType, type GraphQLType } from "graphql";

/** Whether a field can be asked for without arguments, and is no name that is the language's own. */
export function callable(field: GraphQLField<unknown, unknown>): boolean {
  return !isReserved(field.name) && !field.args.some(isRequiredArgument);
}

/** Names that begin with two underscores belong to introspection. */
export function isReserved(name: string): boolean {
  return name.startsWith("__");
}

export function isList(type: GraphQLType): boolean {
  return isNonNullType(type) ? isList(type.ofType) : isListType(type);
}

/** The wrapping of a type, without its name: `[!]!`. */
export function wrapping(type: GraphQLOutputType): string {
  return String(type).replace(/\w+/, "");
}

/** How often a list is in a list. */
export function listDepth(type: GraphQLType): number {
  if (isNonNullType(type)) return listDepth(type.ofType);
  return isListType(type) ? 1 + listDepth(type.ofType) : 0;
}

/** Whether there is a reason; an empty one counts. */
export function isDeprecated(reason: string | null | undefined): reason is string {
  return typeof reason === "string";
}
