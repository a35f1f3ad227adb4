import type { ApiResponse } from "../../model/http/response.ts";
import { isGraphql } from "../../model/http/graphql-answer.ts";
import { isNothing, saysFailed } from "../../model/http/refusal.ts";
import { contentOf } from "./answer-content.ts";

const SHOWN = 10;
/**
 * Matches the field names that messages may show. Names with three or more groups of digits do not match, because such a name may be an id that is
 * used as a key.
 */
const NAME = /^(?=[a-z_$][\w$-]{0,39}$)(?!.*\d\D*\d\D*\d)/i;
const DEEPEST = 4;

/**
 * Returns the names of the non-empty fields in the body of an answer, for messages. `undefined` if the answer shows no data: it is not 2xx, has no
 * body, has only empty values or `false`, is an object around an empty list, or reports a failure.
 */
export function seenFields(answer: ApiResponse): string | undefined {
  if (!answer.ok || answer.request.method === "HEAD") return undefined;
  const graphql = shownData(answer);
  const body = graphql === undefined ? contentOf(answer) : graphql.data;
  if (isNothing(body) || saysFailed(body)) return undefined;
  const names = [...new Set(namesOf(body))].filter((name) => NAME.test(name));
  if (names.length === 0) return typeof body === "object" ? "a body" : "a text";
  return [...names.slice(0, SHOWN), ...(names.length > SHOWN ? [`${names.length - SHOWN} more`] : [])].join(", ");
}

/** Matches the names of fields that describe the outcome of a GraphQL mutation instead of data. */
const OF_PAYLOADS = /^(?:__typename|client_?mutation_?id|ok|success|code|message|(?:user_?)?errors?)$/i;

/** Returns the `data` of a GraphQL answer, without fields that only report success or failure. `undefined` for other answers. */
function shownData(answer: ApiResponse): { readonly data: unknown } | undefined {
  if (!isGraphql(answer)) return undefined;
  const { data } = answer.json<{ readonly data?: unknown }>();
  if (typeof data !== "object" || data === null) return { data: null };
  return { data: Object.fromEntries(Object.entries(data).filter(([, value]) => typeof value !== "boolean" && !isOutcome(value))) };
}

/** Returns `true` for the result of a GraphQL mutation that says that nothing was done: `{ success: false, order: null, userErrors: [...] }`. */
function isOutcome(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  return Object.entries(value).every(([name, one]) => OF_PAYLOADS.test(name) || isNothing(one) || typeof one === "boolean");
}

/**
 * Returns the names of the fields of an item, or of the items of a list. If the item is the only field of an object, the names of the item's own
 * fields are returned.
 */
function namesOf(value: unknown, depth = 0): readonly string[] {
  if (typeof value !== "object" || value === null || depth === DEEPEST) return [];
  if (Array.isArray(value)) return value.flatMap((one) => namesOf(one, depth));
  const filled = Object.entries(value).filter(([, one]) => !isNothing(one));
  const [first] = filled;
  const inside = filled.length === 1 && typeof first![1] === "object" ? namesOf(first![1], depth + 1) : [];
  return inside.length > 0 ? inside : filled.map(([name]) => name);
}
