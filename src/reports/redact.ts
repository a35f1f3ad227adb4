import type { ExplorationResult, RecordedExchange, RecordedResponse, Violation } from "../model/result.ts";
import type { ApiRequest } from "../model/response.ts";
import { violationText } from "./violation-text.ts";

export const HIDDEN = "[redacted]";

/** What of requests and responses a report may show. */
export interface Visibility {
  /** Header names and JSON fields, compared without case, `-` and `_`. */
  readonly redact: readonly string[];
  readonly includeRequestResponse: boolean;
}

/** Hides the values of the named fields. */
export interface Redactor {
  headers(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>>;
  /** Query parameters, and the user part. */
  url(url: string): string;
  /** A JSON or form body; any other text is searched for what looks like a named field. */
  body(text: string): string;
  request(request: ApiRequest): ApiRequest;
  response(response: RecordedResponse): RecordedResponse;
}

const fold = (name: string): string => name.toLowerCase().replace(/[-_]/g, "");

export function redactor(names: readonly string[]): Redactor {
  const hidden = new Set(names.map(fold));
  const isHidden = (name: string): boolean => hidden.has(fold(name));
  const text = (value: string): string => hideInText(value, isHidden);
  const url = (value: string): string => {
    const shown = value.replace(/^(\w+:\/\/)[^\s/?#]*@/, `$1${HIDDEN}@`);
    const start = shown.indexOf("?");
    return start < 0 ? shown : `${shown.slice(0, start + 1)}${hideInForm(shown.slice(start + 1), isHidden)}`;
  };
  const headers = (value: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
    Object.fromEntries(Object.entries(value).map(([name, content]) => [name, isHidden(name) ? HIDDEN : content]));
  const body = (value: string): string => (hidden.size === 0 || value === "" ? value : (hideInJson(value, isHidden) ?? (isForm(value) ? hideInForm(value, isHidden) : text(value))));
  return {
    headers,
    url,
    body,
    request: (one) => ({ method: one.method, url: url(one.url), headers: headers(one.headers), body: one.body === undefined ? undefined : body(one.body) }),
    response: (one) => ({ status: one.status, headers: headers(one.headers), body: body(one.body) }),
  };
}

/** `undefined` when the text is not JSON; the text itself when nothing in it had to be hidden. */
function hideInJson(text: string, isHidden: (name: string) => boolean): string | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  let found = false;
  try {
    const value: unknown = JSON.parse(text, (name: string, member: unknown) => {
      // A reviver also sees array indices, which are no names; an index would have to be listed to match.
      if (name === "" || member === null || !isHidden(name)) return member;
      found = true;
      return HIDDEN;
    });
    return found ? JSON.stringify(value) : text;
  } catch {
    return undefined;
  }
}

const isForm = (text: string): boolean => /^[^\s=&{}<>"]+=[^\s{}<>"]*$/.test(text);

function hideInForm(text: string, isHidden: (name: string) => boolean): string {
  return text
    .split("&")
    .map((pair) => {
      const name = pair.split("=", 1)[0] ?? "";
      return name.length < pair.length && isHidden(decode(name)) ? `${name}=${HIDDEN}` : pair;
    })
    .join("&");
}

function decode(name: string): string {
  try {
    return decodeURIComponent(name.replaceAll("+", " "));
  } catch {
    return name;
  }
}

/** For bodies that were cut off or are no JSON: `"name": "value"` and `name: value` wherever they stand. */
function hideInText(text: string, isHidden: (name: string) => boolean): string {
  return text.replace(
    /("?)([A-Za-z][\w-]{0,63})\1(\s*[:=]\s*)("(?:[^"\\]|\\.)*"?|[^\s,;&}\]"]+)/g,
    (all: string, quote: string, name: string, between: string, value: string) =>
      isHidden(name) ? `${quote}${name}${quote}${between}${value.startsWith('"') ? `"${HIDDEN}"` : HIDDEN}` : all,
  );
}

/** The result as a report may show it: named fields hidden, or requests and responses left out altogether. */
export function redactResult(result: ExplorationResult, visibility: Visibility): ExplorationResult {
  const hide = redactor(visibility.redact);
  return {
    ...result,
    violations: result.violations.map((violation) => redactViolation(violation, visibility, hide)),
    divergences: result.divergences.map((one) => ({ ...one, differences: one.differences.map((line) => hide.body(line)) })),
    toJSON: () => result.toJSON(),
  };
}

export function redactViolation(violation: Violation, visibility: Visibility, hide: Redactor = redactor(visibility.redact)): Violation {
  const { includeRequestResponse: included } = visibility;
  const exchange = (one: RecordedExchange): RecordedExchange => ({
    request: hide.request(one.request),
    ...(one.response === undefined ? {} : { response: hide.response(one.response) }),
    ...(one.error === undefined ? {} : { error: one.error }),
    durationMs: one.durationMs,
  });
  const shown = {
    ...violation,
    request: included && violation.request !== undefined ? hide.request(violation.request) : undefined,
    response: included && violation.response !== undefined ? hide.response(violation.response) : undefined,
    steps: violation.steps.map((step) => ({ ...step, requests: included ? step.requests.map(exchange) : [] })),
  };
  return { ...shown, toString: () => violationText(shown) };
}
