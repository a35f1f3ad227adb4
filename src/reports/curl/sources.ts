import type { RecordedExchange } from "../../model/results/result.ts";

/** A value in an answer that a later request may send again. */
export interface Source {
  /** The number of the request whose answer contains the value. */
  readonly number: number;
  readonly value: string;
  /** The command of the script's JavaScript part that reads the value, and its argument. */
  readonly pick: readonly ["json" | "header" | "segment" | "cookie", string];
  /** The name of the value in the answer, such as its JSON field. */
  readonly name: string;
  readonly path: string;
  /** The thing that the value is about, such as `order`; empty if the answer does not say it. */
  readonly thing: string;
}

/** The largest number of values that are taken from one answer. */
const MOST = 2000;
/** Matches headers whose values clients do not send again. */
const NOISE =
  /^(?:date|age|server|connection|keep-alive|transfer-encoding|content-.*|cache-control|expires|vary|x-powered-by|set-cookie|location|access-control-.*)$/i;

const ID_NAME =
  /(?:^|[._-])(?:id|uuid|guid|key|token|code|slug|number|no|ref|reference|handle|session|etag)s?$|[a-z](?:Id|Uuid|Key|Token|Code|Number|Ref|Session)s?$/i;

export const isIdName = (name: string): boolean => ID_NAME.test(name);

/** Matches the end of a name that says that its value is an id, but not which thing the id belongs to. */
const ID_WORD = /(?:^|[._-])(?:id|uuid|guid|key|code|no|number|ref|slug)s?$|(?<=[a-z])(?:I[dD]|Uuid|Guid|Key|Code|No|Number|Ref|Slug)s?$/i;
/** Matches words that do not say which thing an id belongs to: wrappers of data, and roles that several kinds of things can have. */
const UNCLEAR =
  /^(?:id|data|result|item|variable|input|attribute|body|payload|param|response|node|edge|object|record|value|where|filter|owner|parent|child|assignee|author|creator|sender|recipient|manager|reviewer|source|target|from|to|by|related|previous|next|external|x)$/;

/** Returns the thing that a name is about: `order` for `order_id`, `parentOrderId`, `orders` and `order.id`; empty if the name does not say it. */
export function thingOf(name: string): string {
  const bare = name.replace(ID_WORD, "");
  if (bare === name && !/[a-z]s$/i.test(name)) return "";
  return wordOf(bare);
}

function wordOf(name: string): string {
  const last = name.split(/[._-]|(?<=[a-z])(?=[A-Z])/).pop()!;
  const word = last
    .toLowerCase()
    .replace(/ies$/, "y")
    .replace(/(?<=x|s|ch|sh)es$/, "")
    .replace(/(?<!s)s$/, "");
  return UNCLEAR.test(word) ? "" : word;
}

/** Returns the thing that a path is about: `item` for `/orders/7/items/3`; empty if no segment is a plural. */
export function thingOfPath(path: string): string {
  return thingOf(path.split("/").findLast((segment) => /[a-z]s$/i.test(segment)) ?? "");
}

/** Returns `true` if a text looks generated, so that it is unlikely to occur in two places by chance. */
export const isOpaque = (text: string): boolean => text.length >= 8 && /^[\w.~+/=:-]+$/.test(text) && /\d/.test(text);

/** Returns the values of an answer that later requests may send again: values that look like ids or look generated, headers, and cookies. */
export function sourcesOf(number: number, { request, response }: RecordedExchange): readonly Source[] {
  if (response === undefined) return [];
  const path = pathOf(request.url);
  const found: Source[] = [];
  const add = (value: string, pick: Source["pick"], name: string, above: string = ""): void => {
    if (found.length < MOST) found.push({ number, value, pick, name, path, thing: thingOf(name) || above || thingOfPath(path) });
  };
  const visit = (value: unknown, keys: readonly (string | number)[], name: string): void => {
    const digits = numberText(value);
    if (typeof value === "string" || digits !== undefined) {
      const text = digits ?? String(value);
      const above = keys.slice(0, -1).findLast((key) => typeof key === "string");
      if (text !== "" && (isIdName(name) || (digits === undefined && isOpaque(text))))
        add(text, ["json", JSON.stringify(keys)], name, wordOf(above ?? ""));
    } else if (Array.isArray(value)) value.forEach((item, index) => visit(item, [...keys, index], name));
    else if (typeof value === "object" && value !== null)
      for (const [key, member] of Object.entries(value)) visit(member, [...keys, key], key);
  };
  try {
    visit(parseExactly(response.body), [], "");
  } catch {
    // Ignore the error: the body is not JSON, so it has no fields.
  }
  for (const [name, value] of Object.entries(response.headers)) {
    const lower = name.toLowerCase();
    if (lower === "location") add(lastSegment(value), ["segment", "location"], "id", thingOfPath(pathOf(value)));
    else if (lower === "set-cookie") {
      for (const [, cookie = "", content = ""] of value.matchAll(/(?:^|[,\n]\s*)([\w!#$%&'*+.^`|~-]+)=([^;,\s]*)/g))
        add(content, ["cookie", cookie], cookie);
    } else if (!NOISE.test(name) && value.length >= 4) add(value, ["header", lower], lower);
  }
  return found.filter(({ value }) => value !== "");
}

/** Parses JSON. {@link numberText} returns all digits of a number in the result, even if a JavaScript number cannot hold it. */
export function parseExactly(text: string): unknown {
  const marked = text.replace(/"(?:[^"\\]|\\.)*"|(?<![\d.eE+-])-?\d{16,}(?![\d.eE])/g, (part) =>
    part.startsWith('"') ? part : JSON.stringify(`\0${part}`),
  );
  return JSON.parse(marked) as unknown;
}

/** Returns a number of {@link parseExactly} as text; `undefined` for other values. */
export function numberText(value: unknown): string | undefined {
  if (typeof value === "number") return String(value);
  return typeof value === "string" && /^\0-?\d{16,}$/.test(value) ? value.slice(1) : undefined;
}

export function pathOf(url: string): string {
  return url.replace(/^\w+:\/\/[^/?#]*/, "").replace(/[?#].*$/, "");
}

export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function lastSegment(location: string): string {
  return decoded(pathOf(location).split("/").filter(Boolean).pop() ?? "");
}
