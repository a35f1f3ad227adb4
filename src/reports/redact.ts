import type { ExplorationResult, RecordedExchange, RecordedResponse, RunError, Violation } from "../model/result.ts";
import type { ApiRequest } from "../model/response.ts";
import { HIDDEN, plainData } from "./plain-data.ts";
import { hideInLine, hideInNotation } from "./redact-notation.ts";
import { violationText } from "./violation-text.ts";

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
  /** Any value (args, context) as JSON data. */
  value(value: unknown): unknown;
  /** A line of a state. */
  line(text: string): string;
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
  const body = (value: string): string => {
    if (hidden.size === 0 || value === "") return value;
    const shown = hideInJson(value, isHidden) ?? hideInMultipart(value, isHidden);
    if (shown !== undefined) return shown;
    if (isForm(value)) return hideInForm(value, isHidden);
    // JSON that was cut off: its names still say where values begin.
    return text(/^\s*[[{]/.test(value) ? hideInNotation(value, isHidden, text) : value);
  };
  return {
    headers,
    url,
    body,
    line: (one) => (hidden.size === 0 ? one : hideInLine(one, isHidden, body)),
    value: (value) => plainData(value, isHidden, body),
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
      if (name === "" || member === null || !isHidden(name)) {
        // An error may quote a URL, or the request that it is about.
        if (typeof member !== "string" || !/[:=]/.test(member)) return member;
        const shown = hideInJson(member, isHidden) ?? hideInText(member, isHidden);
        found ||= shown !== member;
        return shown;
      }
      found = true;
      return HIDDEN;
    });
    return found ? JSON.stringify(value) : text;
  } catch {
    return undefined;
  }
}

/** `undefined` when the text is no `multipart/form-data`. Its first line is the boundary between the parts. */
function hideInMultipart(text: string, isHidden: (name: string) => boolean): string | undefined {
  const boundary = /^--\S+(?=\r\nContent-Disposition: form-data; )/i.exec(text)?.[0];
  if (boundary === undefined) return undefined;
  const hide = (part: string): string => {
    const [head, name] = /^\r\nContent-Disposition: form-data; name="([^"]*)"[^]*?\r\n\r\n/i.exec(part) ?? [];
    if (head === undefined || name === undefined) return part;
    const content = part.slice(head.length).replace(/\r\n$/, "");
    const shown = isHidden(name) ? HIDDEN : (hideInJson(content, isHidden) ?? hideInText(content, isHidden));
    return `${head}${shown}\r\n`;
  };
  return text.split(boundary).map(hide).join(boundary);
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

/** For bodies that were cut off or are no JSON: `"name": "value"` and `name: value` wherever they stand, and the user part of URLs. */
function hideInText(text: string, isHidden: (name: string) => boolean): string {
  return text.replace(/:\/\/[^\s/?#"'<>]*@/g, `://${HIDDEN}@`).replace(
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
    errors: result.errors.map((one) => redactError(one, hide)),
    toJSON: () => result.toJSON(),
  };
}

/** What user code threw is quoted, and may quote what it sent. */
export function redactError(one: RunError, hide: Redactor): RunError {
  return { ...one, message: hide.body(one.message), stack: one.stack === undefined ? undefined : hide.body(one.stack) };
}

export function redactExchange(one: RecordedExchange, hide: Redactor): RecordedExchange {
  return {
    request: hide.request(one.request),
    ...(one.response === undefined ? {} : { response: hide.response(one.response) }),
    ...(one.error === undefined ? {} : { error: one.error }),
    durationMs: one.durationMs,
  };
}

export function redactViolation(violation: Violation, visibility: Visibility, hide: Redactor = redactor(visibility.redact)): Violation {
  const { includeRequestResponse: included } = visibility;
  const shown = {
    ...violation,
    request: included && violation.request !== undefined ? hide.request(violation.request) : undefined,
    response: included && violation.response !== undefined ? hide.response(violation.response) : undefined,
    steps: violation.steps.map((step) => ({
      ...step,
      requests: included ? step.requests.map((one) => redactExchange(one, hide)) : [],
      changes: included ? step.changes?.map((line) => hide.line(line)) : undefined,
    })),
    checks: included ? violation.checks?.map((one) => redactExchange(one, hide)) : undefined,
    target: violation.target === undefined ? undefined : { ...violation.target, output: violation.target.output.map((line) => hide.body(line)) },
  };
  return { ...shown, toString: () => violationText(shown) };
}
