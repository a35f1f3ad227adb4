import type { ApiRequest } from "../../model/http/response.ts";
import { lacksBytes } from "../document/lacks-bytes.ts";
import { HIDDEN } from "../redaction/field-names.ts";
import type { Redactor } from "../redaction/redactor.ts";
import type { Flow } from "./flow.ts";
import type { Hole, Part } from "./shell-text.ts";
import { decoded, numberText, parseExactly } from "./sources.ts";

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
    lacksBytes: lacksBytes(request.body),
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
    return [scheme, flow.hidden(rest, name, "plain", scheme.trim())];
  }
  const variable = flow.find(rest, name, rest.length >= 8);
  if (variable !== undefined) return [scheme, { variable, form: "plain" }];
  return pieces(value, hide.headers({ [name]: value })[name]!, flow);
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
  const redacted = hide.body(body);
  if (/^\s*[[{]/.test(body)) {
    try {
      const parts = jsonParts({ value: parseExactly(body), shown: parseExactly(redacted), name: "" }, flow, hide);
      // If nothing was replaced, send the body exactly as recorded, with its spaces and repeated fields.
      return parts.every((part) => typeof part === "string") ? [body] : parts;
    } catch {
      // Ignore the error: the body is not JSON, so it is handled below as a form or as text.
    }
  }
  if (/^[^\s=&{}<>"]+=[^\s{}<>"]*$/.test(body)) return formParts(body, flow, hide);
  // Text in other formats has no field names, so read each of its hidden pieces from the environment.
  return pieces(body, redacted, flow);
}

/** The encoding of a value at its position: `form` for a value that is known only when the script runs, `write` for fixed text. */
interface Writing {
  readonly name: string;
  readonly form: Hole["form"];
  readonly write: (text: string) => string;
}

const PLAIN: Writing = { name: "value", form: "plain", write: (text) => text };

/** Splits a text at its hidden pieces, which the script reads from the environment. `redacted` is the same text, in which secrets are hidden. */
function pieces(text: string, redacted: string, flow: Flow, { name, form, write }: Writing = PLAIN): readonly Part[] {
  if (redacted === text) return [write(text)];
  let at = 0;
  return redacted.split(HIDDEN).flatMap((piece, index, all): Part[] => {
    if (index === 0) {
      at = piece.length;
      return [write(piece)];
    }
    const end = piece === "" && index === all.length - 1 ? text.length : text.indexOf(piece, at);
    // The hidden piece cannot be found if the redactor wrote JSON in another way. In this case, identify the piece by its position.
    const value = end < at ? `hidden ${index} of ${text}` : text.slice(at, end);
    at = Math.max(at, end + piece.length);
    // The name of a GraphQL variable is no secret, although it is the value of a hidden argument.
    return /^\$\w+$/.test(value) ? [write(value + piece)] : [flow.hidden(value, name, form), write(piece)];
  });
}

/** A value in JSON. `shown`: the same value, in which secrets are hidden. `name`: the name of the field that contains the value. */
interface JsonValue {
  readonly value: unknown;
  readonly shown: unknown;
  readonly name: string;
}

function jsonParts({ value, shown, name }: JsonValue, flow: Flow, hide: Redactor): readonly Part[] {
  if (value !== null && name !== "" && hide.hides(name)) {
    return typeof value === "string" ? ['"', flow.hidden(value, name, "text"), '"'] : [flow.hidden(JSON.stringify(value), name, "plain")];
  }
  const below = (typeof shown === "object" && shown !== null ? shown : {}) as Readonly<Record<string, unknown>>;
  if (Array.isArray(value)) {
    const items = value.flatMap((item, index): Part[] => [
      index === 0 ? "" : ",",
      ...jsonParts({ value: item, shown: below[index], name }, flow, hide),
    ]);
    return ["[", ...items, "]"];
  }
  if (typeof value === "object" && value !== null) {
    const members = Object.entries(value).flatMap(([key, member], index): Part[] => [
      `${index === 0 ? "" : ","}${JSON.stringify(key)}:`,
      // The field around an id says what the id is about.
      ...jsonParts({ value: member, shown: below[key], name: key === "id" && name !== "" ? `${name}.id` : key }, flow, hide),
    ]);
    return ["{", ...members, "}"];
  }
  return leafParts({ value, shown, name }, flow);
}

function leafParts({ value, shown, name }: JsonValue, flow: Flow): readonly Part[] {
  const digits = numberText(value);
  if (digits === undefined && typeof value !== "string") return [JSON.stringify(value)];
  const variable = flow.find(digits ?? String(value), name, false);
  const hidden = typeof shown === "string" && shown !== value && shown.includes(HIDDEN) ? shown : undefined;
  if (digits !== undefined) {
    if (variable !== undefined) return [{ variable, form: "plain" }];
    return [hidden === undefined ? digits : flow.hidden(digits, name, "plain")];
  }
  if (variable !== undefined) return ['"', { variable, form: "text" }, '"'];
  if (hidden === undefined) return [JSON.stringify(value)];
  const write = (text: string): string => JSON.stringify(text).slice(1, -1);
  return ['"', ...pieces(String(value), hidden, flow, { name, form: "text", write }), '"'];
}

function formParts(form: string, flow: Flow, hide: Redactor): readonly Part[] {
  return form.split("&").flatMap((pair, index): Part[] => {
    const [name, value] = splitOnce(pair, "=");
    const start = `${index === 0 ? "" : "&"}${name}`;
    if (value === undefined) return [start];
    const [plainName, plain] = [name, value].map((text) => decoded(text.replaceAll("+", " "))) as [string, string];
    if (hide.hides(plainName)) return [`${start}=`, flow.hidden(plain, plainName, "uri")];
    const variable = flow.find(plain, plainName, false);
    if (variable !== undefined) return [`${start}=`, { variable, form: "uri" }];
    const redacted = hide.body(plain);
    if (redacted === plain) return [`${start}=`, value];
    return [`${start}=`, ...pieces(plain, redacted, flow, { name: plainName, form: "uri", write: encodeURIComponent })];
  });
}

function splitOnce(text: string, at: string): [string, string | undefined] {
  const index = text.indexOf(at);
  return index < 0 ? [text, undefined] : [text.slice(0, index), text.slice(index + at.length)];
}

const oneLine = (value: string): string => value.replace(/[\u0000-\u0008\u000a-\u001f\u007f]/g, "");
