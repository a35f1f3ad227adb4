import { problem } from "../../../openapi/problem.ts";

export function openapiInstead(name: string): Error {
  return problem("DESCRIPTION_NOT_GRAPHQL", `${name} is an OpenAPI description.`, "Use `seqqa scaffold openapi` for this file.");
}
