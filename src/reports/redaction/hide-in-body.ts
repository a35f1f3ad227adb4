import { HIDDEN, type IsHidden } from "./field-names.ts";
import { hideInText } from "./hide-in-text.ts";

type Seen = (value: string) => void;

/** Replaces the values of hidden fields in a request or response body, which may be JSON, a form, multipart data, or other text. */
export function hideInBody(text: string, isHidden: IsHidden, seen: Seen): string {
  if (text === "") return text;
  if (isForm(text)) return hideInForm(text, isHidden, seen);
  return hideInMultipart(text, isHidden, seen) ?? hideInAny(text, isHidden, seen);
}

/** Replaces the values of hidden fields in JSON, or in any text that contains fields and URLs. */
function hideInAny(text: string, isHidden: IsHidden, seen: Seen): string {
  return hideInJson(text, isHidden, seen) ?? hideInText(hideInQueries(text, isHidden, seen), isHidden, seen);
}

/** Replaces the values of hidden fields in JSON. Returns `undefined` if the text is not JSON, and the same text if it has no hidden fields. */
function hideInJson(text: string, isHidden: IsHidden, seen: Seen): string | undefined {
  if (!/^\s*[[{"]/.test(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    const shown = hideMembers(value, isHidden, seen);
    // If nothing was hidden, search the text, too: `JSON.parse` keeps only the last value of a repeated name.
    return shown === value ? hideInText(text, isHidden, seen) : JSON.stringify(shown);
  } catch {
    return undefined;
  }
}

/**
 * Replaces hidden values in an object, a list or a string. Returns the same value if nothing was hidden. Strings are searched, too, because they may
 * contain JSON.
 */
function hideMembers(value: unknown, isHidden: IsHidden, seen: Seen): unknown {
  if (typeof value === "string") return hideInBody(value, isHidden, seen);
  if (typeof value !== "object" || value === null) return value;
  let changed = false;
  const secret = secretVariables(value, isHidden);
  const visit = (member: unknown, name: string | undefined): unknown => {
    const hidden = name !== undefined && member !== null && isHidden(name);
    if (hidden) leaves(member, seen);
    const isSecret = name === "variables" && secret.size > 0 ? (one: string): boolean => isHidden(one) || secret.has(one) : isHidden;
    // In a GraphQL query, the value of a hidden argument may be the name of a variable, such as `$pw`, which is no secret.
    const seenHere = name === "query" ? (text: string): void => void (text.startsWith("$") || seen(text)) : seen;
    const shown = hidden ? HIDDEN : hideMembers(member, isSecret, seenHere);
    changed ||= shown !== member;
    return shown;
  };
  const shown = Array.isArray(value)
    ? value.map((item) => visit(item, undefined))
    : Object.fromEntries(Object.entries(value).map(([name, member]) => [name, visit(member, name)]));
  return changed ? shown : value;
}

/** Returns the names of the variables that a GraphQL request passes to hidden arguments: `pw` for `login(password: $pw)`. */
function secretVariables(body: object, isHidden: IsHidden): ReadonlySet<string> {
  const { query, variables } = body as { readonly query?: unknown; readonly variables?: unknown };
  if (typeof query !== "string" || typeof variables !== "object") return NO_NAMES;
  const passed = [...query.matchAll(/(?<![\w$])(\w{1,64})\s{0,20}:\s{0,20}\$(\w{1,64})/g)];
  return new Set(passed.flatMap(([, argument, variable]) => (isHidden(argument!) ? [variable!] : [])));
}

const NO_NAMES: ReadonlySet<string> = new Set();

/** Calls `seen` with every string and number inside a value. */
export function leaves(value: unknown, seen: Seen): void {
  if (typeof value === "string" || typeof value === "number") seen(String(value));
  else if (typeof value === "object" && value !== null) for (const member of Object.values(value)) leaves(member, seen);
}

/**
 * Replaces the values of hidden fields in `multipart/form-data`. Returns `undefined` for other text. The first line of the text is the boundary
 * between the parts.
 */
function hideInMultipart(text: string, isHidden: IsHidden, seen: Seen): string | undefined {
  const boundary = /^--\S+(?=\r\nContent-Disposition: form-data; )/i.exec(text)?.[0];
  if (boundary === undefined) return undefined;
  const hide = (part: string): string => {
    const [head, name] = /^\r\nContent-Disposition: form-data; name="([^"]*)"[^]*?\r\n\r\n/i.exec(part) ?? [];
    if (head === undefined || name === undefined) return part;
    const content = part.slice(head.length).replace(/\r\n$/, "");
    const hidden = content !== "" && isHidden(name);
    if (hidden) seen(content);
    return `${head}${hidden ? HIDDEN : hideInBody(content, isHidden, seen)}\r\n`;
  };
  return text.split(boundary).map(hide).join(boundary);
}

const isForm = (text: string): boolean => /^[^\s=&{}<>"?/:;,#]+=[^\s{}<>"]*$/.test(text);

/** Replaces hidden values in `name=value` pairs that are joined by `&`. A value may itself contain fields. */
export function hideInForm(text: string, isHidden: IsHidden, seen: Seen): string {
  const hide = (pair: string): string => {
    const [name = "", ...rest] = pair.split("=");
    if (rest.length === 0) return pair;
    const value = decoded(rest.join("="));
    if (isHidden(decoded(name))) {
      seen(value);
      return `${name}=${HIDDEN}`;
    }
    if (!/[=:]/.test(value)) return pair;
    const shown = hideInAny(value, isHidden, seen);
    return shown === value ? pair : `${name}=${encodeURIComponent(shown)}`;
  };
  return text.split("&").map(hide).join("&");
}

function hideInQueries(text: string, isHidden: IsHidden, seen: Seen): string {
  return text.includes("?")
    ? text.replace(/\?([^\s?"'<>`\\{}]+=[^\s?"'<>`\\{}]*)/g, (_all, query: string) => `?${hideInForm(query, isHidden, seen)}`)
    : text;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return text;
  }
}
