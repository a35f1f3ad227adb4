import { buildClientSchema, type GraphQLSchema, type IntrospectionQuery } from "graphql";
import { checkSize } from "../../../openapi/read/check-size.ts";
import { problem, quoted } from "../../../openapi/problem.ts";
import { openapiInstead } from "./openapi-instead.ts";

/**
 * Parses the result of a GraphQL introspection query. The result may have an outer object `data`.
 * @throws SeqqaError `DESCRIPTION_SYNTAX`, `DESCRIPTION_NOT_GRAPHQL`, `DESCRIPTION_TOO_LARGE`
 */
export function parseIntrospection(text: string, name: string): { readonly schema: GraphQLSchema; readonly warnings: readonly string[] } {
  const value = parsed(text, name);
  checkSize(value, name);
  const data = isRecord(value) && isRecord(value["data"]) ? value["data"] : value;
  if (!isRecord(data) || !isRecord(data["__schema"])) {
    if (isRecord(value) && ("openapi" in value || "swagger" in value)) throw openapiInstead(name);
    throw problem(
      "DESCRIPTION_NOT_GRAPHQL",
      `${name} is not the result of a GraphQL introspection.`,
      "Give the result of an introspection: an object with `data.__schema`, or with `__schema`.",
    );
  }
  try {
    return { schema: buildClientSchema(data as unknown as IntrospectionQuery, { assumeValid: false }), warnings: [] };
  } catch (error) {
    if (error instanceof RangeError) throw error;
    const says = error instanceof Error ? error.message : String(error);
    throw problem("DESCRIPTION_NOT_GRAPHQL", `${name} is not a complete result of an introspection: ${quoted(says)}.`, undefined, error);
  }
}

function parsed(text: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw problem("DESCRIPTION_SYNTAX", `${name} is not valid JSON: ${quoted((error as Error).message)}.`, undefined, error);
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
