import type { ApiRequest } from "../../model/http/response.ts";
import { HIDDEN } from "../redaction/field-names.ts";
import type { Redactor } from "../redaction/redactor.ts";
import type { Flow } from "./flow.ts";
import type { Part } from "./shell-text.ts";
import { decoded } from "./sources.ts";

export interface RequestParts {
  readonly method: string;
  /** The path and query of the URL, without the origin. */
  readonly target: readonly Part[];
  readonly headers: readonly (readonly Part[])[];
  readonly body: readonly Part[] | undefined;
  readonly hasContentType: boolean;
  /** `true` if the recorded body is only a description of the bytes that were sent. */
  readonly lacksBytes: boolean;
}

/** Matches headers that the script does not set, because curl sets them itself or they concern only the recorded connection. */
const SKIPPED = /^(?:host|content-length|connection|keep-alive|transfer-encoding|accept-encoding|expect)$/i;

/** Matches bodies with bytes that are not UTF-8, and multipart bodies with a file that is described as `<12 bytes>`. */
const LOSSY = /\ufffd|^--[^]*\r\n\r\n<\d+ bytes>\r\n--/;

export function requestParts(request: ApiRequest, flow: Flow, hide: Redactor): RequestParts {
  // Replace ids of earlier answers that occur inside of longer texts. Then replace secrets that occur under other names or in a path.
  const shown = (parts: readonly Part[]): readonly Part[] =>
    parts
      .flatMap((part) => (typeof part === "string" ? flow.embedded(part) : [part]))
      .flatMap((part) => (typeof part === "string" ? pieces(part, hide.secrets(part), flow) : [part]));
  const entries = Object.entries(request.headers).filter(([name]) => !SKIPPED.test(name) && /^[\w!#$%&'*+.^`|~-]+$/.test(name));
  return {
    method: request.method,
    target: shown(targetParts(request.url, flow, hide)),
    headers: entries.map(([name, value]) => [`${name}: `, ...shown(headerParts(name, oneLine(value), flow, hide))]),
    body: request.body === undefined || request.body === "" ? undefined : shown(bodyParts(request.body, flow, hide)),
    lacksBytes: request.body !== undefined && LOSSY.test(request.body),
    hasContentType: entries.some(([name]) => name.toLowerCase() === "content-type"),
  };
}

function targetParts(url: string, flow: Flow, hide: Redactor): readonly Part[] {
  const rest = url.replace(/^\w+:\/\/[^/?#]*/, "").replace(/#.*$/, "");
  const [path, query] = splitOnce(rest, "?");
  const parts: Part[] = [];
  const segments = path.split("/");
  segments.forEach((segment, index) => {
    const variable = segment === "" ? undefined : flow.find(decoded(segment), segments[index - 1] ?? "", true);
    parts.push(index === 0 ? "" : "/", variable === undefined ? segment : { variable, form: "uri" });
  });
  return query === undefined ? parts : [...parts, "?", ...formParts(query, flow, hide)];
}

function headerParts(name: string, value: string, flow: Flow, hide: Redactor): readonly Part[] {
  if (name.toLowerCase() === "cookie") return cookieParts(value, flow, hide);
  const [, scheme = "", rest = ""] = /^(Bearer |Token |)(.*)$/is.exec(value)!;
  if (hide.hides(name)) {
    // Show the scheme, which is not secret. The credentials after it may come from an earlier answer.
    return [scheme, flow.hidden(rest, name, "plain")];
  }
  const variable = flow.find(rest, name, rest.length >= 8);
  return variable === undefined ? [value] : [scheme, { variable, form: "plain" }];
}

function cookieParts(value: string, flow: Flow, hide: Redactor): readonly Part[] {
  return value.split(/;\s*/).flatMap((pair, index): Part[] => {
    const [name, content] = splitOnce(pair, "=");
    const start = `${index === 0 ? "" : "; "}${name}`;
    if (content === undefined) return [start];
    if (hide.hides("cookie") || hide.hides(name)) return [`${start}=`, flow.hidden(content, name, "plain")];
    const variable = flow.find(content, name, content.length >= 4);
    return [`${start}=`, variable === undefined ? content : { variable, form: "plain" }];
  });
}

function bodyParts(body: string, flow: Flow, hide: Redactor): readonly Part[] {
  if (/^\s*[[{]/.test(body)) {
    try {
      const parts = jsonParts(JSON.parse(body) as unknown, "", flow, hide);
      // If nothing was replaced, send the body exactly as recorded: `JSON.parse` may have lost digits of long numbers.
      return parts.every((part) => typeof part === "string") ? [body] : parts;
    } catch {
      // Ignore the error: the body is not JSON, so it is handled below as a form or as text.
    }
  }
  if (/^[^\s=&{}<>"]+=[^\s{}<>"]*$/.test(body)) return formParts(body, flow, hide);
  // Text in other formats has no field names, so read each of its hidden pieces from the environment.
  return pieces(body, hide.body(body), flow);
}

/** Splits a text at its hidden pieces, which the script reads from the environment. `redacted` is the same text with hidden secrets. */
function pieces(text: string, redacted: string, flow: Flow): readonly Part[] {
  if (redacted === text) return [text];
  return redacted
    .split(HIDDEN)
    .flatMap((piece, index): Part[] => (index === 0 ? [piece] : [flow.hidden(`hidden ${index} of ${text}`, "value", "plain"), piece]));
}

function jsonParts(value: unknown, name: string, flow: Flow, hide: Redactor): readonly Part[] {
  if (value !== null && name !== "" && hide.hides(name)) {
    return typeof value === "string" ? ['"', flow.hidden(value, name, "text"), '"'] : [flow.hidden(JSON.stringify(value), name, "plain")];
  }
  if (Array.isArray(value))
    return ["[", ...value.flatMap((item, index) => [index === 0 ? "" : ",", ...jsonParts(item, name, flow, hide)]), "]"];
  if (typeof value === "object" && value !== null) {
    const members = Object.entries(value).flatMap(([key, member], index): Part[] => [
      `${index === 0 ? "" : ","}${JSON.stringify(key)}:`,
      ...jsonParts(member, key, flow, hide),
    ]);
    return ["{", ...members, "}"];
  }
  if (typeof value !== "string" && typeof value !== "number") return [JSON.stringify(value)];
  const variable = flow.find(String(value), name, false);
  if (variable === undefined) return [JSON.stringify(value)];
  return typeof value === "string" ? ['"', { variable, form: "text" }, '"'] : [{ variable, form: "plain" }];
}

function formParts(form: string, flow: Flow, hide: Redactor): readonly Part[] {
  return form.split("&").flatMap((pair, index): Part[] => {
    const [name, value] = splitOnce(pair, "=");
    const start = `${index === 0 ? "" : "&"}${name}`;
    if (value === undefined) return [start];
    const [plainName, plain] = [name, value].map((text) => decoded(text.replaceAll("+", " "))) as [string, string];
    if (hide.hides(plainName)) return [`${start}=`, flow.hidden(plain, plainName, "uri")];
    const variable = flow.find(plain, plainName, false);
    return [`${start}=`, variable === undefined ? value : { variable, form: "uri" }];
  });
}

function splitOnce(text: string, at: string): [string, string | undefined] {
  const index = text.indexOf(at);
  return index < 0 ? [text, undefined] : [text.slice(0, index), text.slice(index + at.length)];
}

const oneLine = (value: string): string => value.replace(/[\u0000-\u0008\u000a-\u001f\u007f]/g, "");
