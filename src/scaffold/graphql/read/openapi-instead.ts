import { problem } from "../../../openapi/problem.ts";

/** Makes the error for an OpenAPI description in the place of a GraphQL schema. */
export function openapiInstead(name: string): Error {
  return problem("DESCRIPTION_NOT_GRAPHQL", `${name} is an OpenAPI description.`, "Use `seqqa scaffold openapi` with it.");
}
