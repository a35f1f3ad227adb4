import { ApiResponse, type ApiRequest } from "../model/http/response.ts";
import { isIdLike } from "../model/text/id-like.ts";
import { bodyOf } from "./answers/outcome.ts";
import { leavesOf } from "./intruder/owners-view.ts";
import { urlOf } from "./requests.ts";

/** Maximum number of bodies that {@link spoiledBodies} returns. */
const SPOILED = 4;
const PASSWORD = /passw|pwd|passphrase/i;
/** The text that is appended to a value to get a different value. */
const OTHER = "Z9";

/** Returns up to {@link SPOILED} copies of a body. In each copy, one text field is emptied, a different field in each copy. */
export function spoiledBodies(body: string | undefined): readonly string[] {
  const read = fieldsOf(body);
  return read === undefined ? [] : [...read.texts.keys()].slice(0, SPOILED).map((name) => read.withTexts(new Map([[name, ""]])));
}

/** Returns a copy of a body in which every password field has a different value; `undefined` if the body has no password field. */
export function withOtherPassword(body: string | undefined): string | undefined {
  return withOtherTexts(body, (name) => PASSWORD.test(name));
}

/**
 * Returns a copy of an answer whose request contains a wrong code: ids and texts in its path, query and body are changed. Returns `undefined` if the
 * request has no value that can be changed.
 */
export function withWrongCode({ statusCode, request }: ApiResponse): ApiResponse | undefined {
  const url = urlOf(request.url);
  if (url === undefined) return undefined;
  const query = new URLSearchParams([...url.searchParams].map(([name, value]): [string, string] => [name, value + OTHER]));
  url.search = query.toString();
  url.pathname = url.pathname
    .split("/")
    .map((segment) => (isIdLike(segment) ? segment + OTHER : segment))
    .join("/");
  const body = withOtherTexts(request.body, () => true) ?? request.body;
  if (url.href === urlOf(request.url)!.href && body === request.body) return undefined;
  return new ApiResponse(statusCode, "", {}, { ...request, url: url.href, body });
}

/** Values of a request, one of which is the code that may be used once. */
export interface Codes {
  readonly texts: readonly string[];
  /** `true` if the values come from fields whose names say that they hold a code. */
  readonly areNamed: boolean;
}

const CODE = /code|token|otp|pin|ticket|hash|secret|coupon|voucher|invit/i;
const ID = /ids?$/i;
/** Minimum number of characters of a code. Shorter values occur in other texts by chance. */
const SHORTEST = 4;

/**
 * Returns the values of fields whose names say that they hold a code. If no field has such a name, returns all values of the path, query and body.
 * Passwords and e-mail addresses are left out.
 */
export function codesIn({ url, body }: ApiRequest): Codes {
  const parsed = urlOf(url);
  const fields = [...(parsed?.searchParams ?? []), ...leavesOf(bodyOf(body), "")]
    .map(([name, text]) => [name.slice(name.lastIndexOf(".") + 1), text] as const)
    .filter(([name, text]) => text.length >= SHORTEST && !PASSWORD.test(name) && !text.includes("@"));
  const named = fields.filter(([name]) => CODE.test(name) && !ID.test(name));
  if (named.length > 0) return { texts: named.map(([, text]) => text), areNamed: true };
  const segments = (parsed?.pathname.split("/") ?? []).filter((segment) => segment.length >= SHORTEST && isIdLike(segment));
  return { texts: [...fields.map(([, text]) => text), ...segments], areNamed: false };
}

function withOtherTexts(body: string | undefined, isChanged: (name: string) => boolean): string | undefined {
  const read = fieldsOf(body);
  const changed = [...(read?.texts ?? [])].filter(([path]) => isChanged(path.slice(path.lastIndexOf("\n") + 1)));
  return changed.length === 0 ? undefined : read!.withTexts(new Map(changed.map(([name, text]) => [name, text + OTHER])));
}

interface Fields {
  /** The fields that are texts, by their path: names and indices, separated by line breaks. */
  readonly texts: ReadonlyMap<string, string>;
  /** Returns a copy of the body in which the fields of the map have the given texts. */
  withTexts(texts: ReadonlyMap<string, string>): string;
}

/** Parses a body that is JSON or a form. Returns `undefined` if the body has no fields. The fields of a GraphQL request are its variables. */
function fieldsOf(body: string | undefined): Fields | undefined {
  if (body === undefined) return undefined;
  let fields: unknown;
  try {
    fields = JSON.parse(body);
  } catch {
    const form = new URLSearchParams(body);
    return {
      texts: new Map(form),
      withTexts: (texts) => {
        const changed = new URLSearchParams(form);
        for (const [name, text] of texts) changed.set(name, text);
        return changed.toString();
      },
    };
  }
  if (typeof fields !== "object" || fields === null) return undefined;
  const { query, variables } = fields as { readonly query?: unknown; readonly variables?: unknown };
  const isGraphql = typeof query === "string" && typeof variables === "object" && variables !== null;
  const begin = isGraphql ? ["variables"] : [];
  const texts = textsIn(isGraphql ? variables : fields, begin);
  return { texts: new Map(texts), withTexts: (changed) => JSON.stringify(replaced(fields, "", changed)) };
}

const DEEPEST = 5;

function textsIn(value: unknown, path: readonly string[]): readonly (readonly [path: string, text: string])[] {
  if (typeof value === "string") return value === "" ? [] : [[path.join("\n"), value]];
  if (typeof value !== "object" || value === null || path.length === DEEPEST) return [];
  return Object.entries(value).flatMap(([key, one]) => textsIn(one, [...path, key]));
}

function replaced(value: unknown, path: string, texts: ReadonlyMap<string, string>): unknown {
  if (typeof value === "string") return texts.get(path) ?? value;
  if (typeof value !== "object" || value === null) return value;
  const below = (key: string | number, one: unknown): unknown => replaced(one, path === "" ? String(key) : `${path}\n${key}`, texts);
  if (Array.isArray(value)) return value.map((one, at) => below(at, one));
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, below(key, one)]));
}
