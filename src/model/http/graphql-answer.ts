import type { ApiRequest } from "./response.ts";

/** The parts of an exchange that show whether the exchange is GraphQL. */
export interface GraphqlExchange {
  readonly statusCode: number;
  readonly request: Pick<ApiRequest, "method" | "body">;
  readonly text: string | undefined;
}

/** The meaning of an answer with a 2xx status to a GraphQL request. */
export type GraphqlAnswer =
  /** The answer has errors and no data, or every field is an error, so nothing in the request was done. */
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
export function graphqlAnswer({ statusCode, request, text }: GraphqlExchange): GraphqlAnswer {
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
  const failures = isRecord(data) ? Object.values(data).map(errorIn) : [];
  if (failures.length > 0 && failures.every((one) => one !== undefined)) return { kind: "refused", message: messageOf(failures[0]) };
  // A GraphQL document can contain several operations. The document only reads if no operation is a mutation or a subscription.
  const reads = /^\s*(?:query\b|\{)/.test(query) && !/\b(?:mutation|subscription)\b/.test(query);
  return reads && (Object.hasOwn(answer, "data") || Array.isArray(errors)) ? { kind: "read" } : OTHER;
}

/** Returns `true` if the exchange is GraphQL, and its answer has errors. The answer may also have `data`. */
export function hasGraphqlErrors({ request, text }: Omit<GraphqlExchange, "statusCode">): boolean {
  const errors = isGraphql({ request, text }) ? recordOf(text)?.["errors"] : undefined;
  return Array.isArray(errors) && errors.length > 0;
}

/** Returns `true` if the exchange is GraphQL, which is recognized by the form of request and answer. */
export function isGraphql({ request, text }: Omit<GraphqlExchange, "statusCode">): boolean {
  const answer = request.method === "POST" && typeof recordOf(request.body)?.["query"] === "string" ? recordOf(text) : undefined;
  return answer !== undefined && (Object.hasOwn(answer, "data") || Array.isArray(answer["errors"]));
}

/**
 * Returns the error in the value of a field of a mutation: the value itself if its `__typename` ends with `Error`; the first entry of `userErrors` or
 * `errors` if all other members are `null` or `false`. `undefined` if there is no error.
 */
function errorIn(payload: unknown): unknown {
  if (!isRecord(payload)) return undefined;
  const { __typename: type, userErrors, errors, clientMutationId: _, ...rest } = payload;
  if (typeof type === "string" && type.endsWith("Error")) return payload;
  const all: unknown = userErrors ?? errors;
  return Array.isArray(all) && Object.values(rest).every((one) => one === null || one === false) ? all[0] : undefined;
}

const INTERNAL = /^internal_(?:server_)?error$/i;
/** Matches messages with which servers hide an exception, and messages of exceptions. */
const EXCEPTION =
  /^unexpected error\b|^internal (?:server )?error\b|^cannot (?:read|set) propert|\bis not (?:a function|defined|iterable)\b|constraint failed|duplicate key value|violates .*constraint/i;
/** Matches the first line of a stack trace of an exception, such as `TypeError: ...`. Servers do not throw such errors to refuse a request. */
const THROWN = /^(?:Type|Reference|Range|Syntax|Sqlite|Database|Prisma\w*|QueryFailed\w*)Error\b/;

/**
 * Returns the message of an error with which a GraphQL server reports its own failure, such as an exception in a resolver; `undefined` if there is
 * none. Many servers also give the code `INTERNAL_SERVER_ERROR` to errors that refuse a request, so the code alone is not enough.
 */
export function graphqlServerError(exchange: GraphqlExchange): string | undefined {
  const { statusCode, request } = exchange;
  if (statusCode >= 500 || request.method !== "POST" || request.body?.includes('"query"') !== true) return undefined;
  // This function runs for each answer, and most answers have no errors. Searching the text is much cheaper than parsing it.
  if (exchange.text?.includes('"errors"') !== true || !isGraphql(exchange)) return undefined;
  const errors = recordOf(exchange.text)?.["errors"];
  const failure: unknown = Array.isArray(errors) ? errors.find(isServerError) : undefined;
  return failure === undefined ? undefined : messageOf(failure);
}

function isServerError(error: unknown): boolean {
  if (!isRecord(error) || !isRecord(error["extensions"])) return false;
  const { code, stacktrace, exception } = error["extensions"];
  if (code === "unexpected") return true;
  if (typeof code !== "string" || !INTERNAL.test(code)) return false;
  const trace: unknown = stacktrace ?? (isRecord(exception) ? exception["stacktrace"] : undefined);
  const first: unknown = Array.isArray(trace) ? trace[0] : undefined;
  return EXCEPTION.test(String(error["message"])) || (typeof first === "string" && THROWN.test(first));
}

function messageOf(error: unknown): string {
  const { message } = (error ?? {}) as { readonly message?: unknown };
  const text = typeof message === "string" ? message.replaceAll(/\s+/g, " ") : "no reason given";
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}...` : text;
}

function recordOf(text: string | undefined): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text ?? "");
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
