import { graphqlAnswer, isGraphql, type GraphqlExchange } from "./graphql-answer.ts";

/** The names of fields that describe a list as a whole, such as its length, in lower case without `_` and `-`. */
const OF_LISTS = new Set(
  "total totalcount totalitems totalpages totalresults count size length page pages pagesize perpage currentpage lastpage pagenumber number limit offset skip start cursor nextcursor endcursor startcursor next nextpage previous prev first last self hasmore hasnext hasprevious hasnextpage haspreviouspage links pageinfo pagination meta metadata object kind type url status ok success".split(
    " ",
  ),
);
/** The names of fields that describe an error or its request, in the form of {@link plainName}. */
const OF_REPORTS = new Set(
  "message msg code status statuscode statustext detail details timestamp time path url method instance title type kind reason cause description errorcode errormessage errordescription erroruri errorid requestid traceid spanid correlationid trace stack hint help docs documentationurl retryafter version apiversion meta metadata links extensions id jsonrpc jsonapi".split(
    " ",
  ),
);
const DEEPEST = 4;
/** Matches each JSON text that {@link refusesInBody} may find to be a refusal: a field of {@link saysFailed}, or a type or field of GraphQL. */
const MAY_REFUSE = /"(?:errors?|userErrors|ok|success)"|Error"/;

/**
 * Returns `true` if the body of a 2xx answer refuses the request: a GraphQL answer with errors and without data, or another body that reports a
 * failure, see {@link saysFailed}. An answer with another status is not judged.
 */
export function refusesInBody(exchange: GraphqlExchange): boolean {
  if (exchange.statusCode < 200 || exchange.statusCode > 299) return false;
  // This function runs for each step, and most answers refuse nothing. Searching the text is much cheaper than parsing it.
  if (!MAY_REFUSE.test(exchange.text ?? "")) return false;
  if (isGraphql(exchange)) return graphqlAnswer(exchange).kind === "refused";
  try {
    return saysFailed(JSON.parse(exchange.text ?? ""));
  } catch {
    return false;
  }
}

/** Returns `true` if the target refused a request: 4xx, 503, or a 2xx answer whose body refuses the request. */
export function isRefusal(exchange: GraphqlExchange): boolean {
  const { statusCode } = exchange;
  return (statusCode >= 400 && statusCode < 500) || statusCode === 503 || refusesInBody(exchange);
}

/**
 * Returns `true` if the body of an answer with a 2xx status reports an error: `{ "ok": false }`, `{ "success": false }`, or an `error` or `errors`
 * without `data`. `{ "errors": 0 }` is not an error. Returns `false` for a body with an id, because such a body is an item that stores an error, such
 * as a failed job. For the same reason, `error` and `errors` (but not `ok` and `success`) are ignored in a body with fields that error reports do not
 * have.
 */
export function saysFailed(body: unknown): boolean {
  if (typeof body !== "object" || body === null || Array.isArray(body)) return false;
  const { error, errors, data, ok, success, ...rest } = body as Readonly<Record<string, unknown>>;
  // The id in a JSON-RPC answer is the id of its request, not of an item.
  if (rest["jsonrpc"] === undefined && ["id", "_id", "uuid"].some((name) => isId(rest[name]))) return false;
  if (ok === false || success === false) return true;
  if (Object.entries(rest).some(([name, value]) => !OF_REPORTS.has(plainName(name)) && value !== false && !isNothing(value))) return false;
  return (
    [error, errors].some((one) => one !== false && one !== 0 && !isNothing(one)) && isNothing(data === undefined ? null : firstLevel(data))
  );
}

function isId(value: unknown): boolean {
  return typeof value === "number" || (typeof value === "string" && value !== "");
}

/** Returns the name of a field in lower case without `_`, `-`, `$` and `@`. */
function plainName(name: string): string {
  return name.toLowerCase().replaceAll(/[_\-$@]/g, "");
}

/** Returns the values of an object's top-level fields, because GraphQL answers with an object such as `{ "note": null }` even if there is no data. */
function firstLevel(data: unknown): unknown {
  return typeof data === "object" && data !== null ? Object.values(data) : data;
}

/** Returns `true` for a value without content: empty, or an object or list with only empty values or `false`, such as an empty page of a list. */
export function isNothing(value: unknown, depth: number = 0): boolean {
  if (value === null || value === undefined || value === "") return true;
  if (typeof value !== "object") return false;
  if (Array.isArray(value)) return value.every((one) => isNothing(one, depth + 1));
  const fields = Object.entries(value);
  if (depth === DEEPEST) return fields.length === 0;
  // An object with only `false` values has no content, for example `{ "can_edit": false }`.
  const filled = fields.filter(([, one]) => one !== false && !isNothing(one, depth + 1));
  if (filled.length === 0) return true;
  // An object with an empty array, whose other fields all describe the list (such as `total`), shows no data.
  const isEnvelope = fields.some(([, one]) => Array.isArray(one) && one.length === 0);
  return isEnvelope && filled.every(([name]) => OF_LISTS.has(plainName(name)));
}
