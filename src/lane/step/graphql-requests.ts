import { graphqlAnswer } from "../../model/http/graphql-answer.ts";
import type { ApiResponse } from "../../model/http/response.ts";

/** Returns `true` if the body of a request is a GraphQL query. A query only reads, unlike a mutation. */
export function isGraphqlQuery(body: string | undefined): boolean {
  if (body === undefined || !body.includes('"query"')) return false;
  try {
    const { query } = JSON.parse(body) as { query?: unknown };
    return typeof query === "string" && /^\s*(?:#[^\n]*\n\s*)*(?:query\b|\{)/.test(query) && !/\bmutation\b/.test(query);
  } catch {
    return false;
  }
}

/** Returns `true` if a GraphQL answer with a 2xx status refuses its request: it has errors and no data. */
export function isGraphqlRefusal(response: ApiResponse): boolean {
  return response.request.body?.includes('"query"') === true && graphqlAnswer(response).kind === "refused";
}
