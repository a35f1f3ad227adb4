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
}

/** The largest number of values that are taken from one answer. */
const MOST = 2000;
/** Matches headers whose values clients do not send again. */
const NOISE =
  /^(?:date|age|server|connection|keep-alive|transfer-encoding|content-.*|cache-control|expires|vary|x-powered-by|set-cookie|location|access-control-.*)$/i;

const ID_NAME =
  /(?:^|[_-])(?:id|uuid|guid|key|token|code|slug|number|no|ref|reference|handle|session|etag)s?$|[a-z](?:Id|Uuid|Key|Token|Code|Number|Ref|Session)s?$/i;

export const isIdName = (name: string): boolean => ID_NAME.test(name);

/** Returns `true` if a text looks generated, so that it is unlikely to occur in two places by chance. */
export const isOpaque = (text: string): boolean => text.length >= 8 && /^[\w.~+/=:-]+$/.test(text) && /\d/.test(text);

/** Returns the values of an answer that later requests may send again: values that look like ids or look generated, headers, and cookies. */
export function sourcesOf(number: number, { request, response }: RecordedExchange): readonly Source[] {
  if (response === undefined) return [];
  const path = pathOf(request.url);
  const found: Source[] = [];
  const add = (value: string, pick: Source["pick"], name: string): void =>
    void (found.length < MOST && found.push({ number, value, pick, name, path }));
  const visit = (value: unknown, keys: readonly (string | number)[], name: string): void => {
    if (typeof value === "string" || typeof value === "number") {
      const text = String(value);
      if (text !== "" && (isIdName(name) || (typeof value === "string" && isOpaque(text)))) add(text, ["json", JSON.stringify(keys)], name);
    } else if (Array.isArray(value)) value.forEach((item, index) => visit(item, [...keys, index], name));
    else if (typeof value === "object" && value !== null)
      for (const [key, member] of Object.entries(value)) visit(member, [...keys, key], key);
  };
  try {
    visit(JSON.parse(response.body), [], "");
  } catch {
    // Ignore the error: the body is not JSON, so it has no fields.
  }
  for (const [name, value] of Object.entries(response.headers)) {
    const lower = name.toLowerCase();
    if (lower === "location") add(lastSegment(value), ["segment", "location"], "id");
    else if (lower === "set-cookie") {
      for (const [, cookie = "", content = ""] of value.matchAll(/(?:^|[,\n]\s*)([\w!#$%&'*+.^`|~-]+)=([^;,\s]*)/g))
        add(content, ["cookie", cookie], cookie);
    } else if (!NOISE.test(name) && value.length >= 4) add(value, ["header", lower], lower);
  }
  return found.filter(({ value }) => value !== "");
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
