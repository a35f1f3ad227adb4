import type { ApiResponse } from "../../model/http/response.ts";

/** The meaning of an answer with a 2xx status to a GraphQL request. */
export type GraphqlAnswer =
  /** The answer has errors and no data, so nothing in the request was done. */
  | { readonly kind: "refused"; readonly message: string }
  /** The answer to a query, which has no side effects (GraphQL specification, 6.2.1). */
  | { readonly kind: "read" }
  | { readonly kind: "other" };

const OTHER: GraphqlAnswer = { kind: "other" };
const LONGEST = 120;

/**
 * Classifies an answer: `refused` or `read` for a 2xx answer to a GraphQL request, otherwise `other`. An exchange is GraphQL if a POST sends JSON
 * with a `query`, and the answer is JSON with `data` or `errors`.
 */
export function graphqlAnswer({ statusCode, request, text }: ApiResponse): GraphqlAnswer {
  if (request.method !== "POST" || statusCode < 200 || statusCode > 299) return OTHER;
  const query = recordOf(request.body)?.["query"];
  const answer = recordOf(text);
  if (typeof query !== "string" || answer === undefined) return OTHER;
  const { data, errors } = answer;
  if (Array.isArray(errors) && errors.length > 0) {
    const nothing =
      data === null || data === undefined || (typeof data === "object" && Object.values(data).every((value) => value === null));
    if (nothing) return { kind: "refused", message: messageOf(errors[0]) };
  }
  // A GraphQL document can contain several operations. It only reads if none of them is a mutation or a subscription.
  const reads = /^\s*(?:query\b|\{)/.test(query) && !/\b(?:mutation|subscription)\b/.test(query);
  return reads && (Object.hasOwn(answer, "data") || Array.isArray(errors)) ? { kind: "read" } : OTHER;
}

/** Returns `true` if the exchange is GraphQL, which is recognized by the form of request and answer. */
export function isGraphql({ request, text }: ApiResponse): boolean {
  const answer = request.method === "POST" && typeof recordOf(request.body)?.["query"] === "string" ? recordOf(text) : undefined;
  return answer !== undefined && (Object.hasOwn(answer, "data") || Array.isArray(answer["errors"]));
}

function messageOf(error: unknown): string {
  const { message } = (error ?? {}) as { readonly message?: unknown };
  const text = typeof message === "string" ? message.replaceAll(/\s+/g, " ") : "no reason given";
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}...` : text;
}

function recordOf(text: string | undefined): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text ?? "");
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Readonly<Record<string, unknown>>) : undefined;
  } catch {
    return undefined;
  }
}
