import type { Json, PlannedAction, PlannedParameter, PlannedValue } from "../../infer/plan.ts";
import { flat, list, object, row, text, type Code } from "./layout.ts";
import { propertyName, quoted, templateText } from "./text.ts";
import { constantOf, scalarCode, stringCode, valueCode, type ValueScope } from "./value.ts";

/** The HTTP methods for which seqqa's client has a function of the same name. For other methods, generated code calls `request`. */
const VERBS = new Set(["get", "post", "put", "patch", "delete", "head", "options"]);
/** Matches a header name as in RFC 9110, section 5.6.2. seqqa's client rejects other names. */
const HEADER_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/**
 * Returns the code that sends a request: `api.post("/orders", { json: ... })`.
 * @param credentials Query parameters that every authenticated request sends.
 * @param segments The names of constants for parameters of the URL path.
 */
export function requestCode(
  action: PlannedAction,
  scope: ValueScope,
  credentials: readonly Code[],
  segments: ReadonlyMap<PlannedValue, string> = new Map(),
): Code {
  const { method } = action.operation;
  const options = requestOptions(action, scope, credentials);
  const target = pathCode(action, scope, segments);
  const call = VERBS.has(method) ? `api.${method}(` : `api.request(${quoted(method.toUpperCase())}, `;
  return options.length === 0 ? row(call, target, ")") : row(call, target, ", ", object(options), ")");
}

/** Returns code for the URL path of a request: a string if all its values are constants, else a template literal. */
export function pathCode(
  { operation: { path }, parameters }: PlannedAction,
  scope: ValueScope,
  segments: ReadonlyMap<PlannedValue, string>,
): Code {
  const values = new Map(parameters.filter((one) => one.in === "path").map(({ name, value }) => [name, value]));
  const parts = path.split(/(\{[^{}]*\})/).map((part) => {
    const value = part.startsWith("{") ? values.get(part.slice(1, -1)) : undefined;
    if (value === undefined) return { fixed: pathText(part) };
    const constant = constantOf(value);
    return constant === undefined ? { code: text(segments.get(value) ?? flat(segmentCode(value, scope))) } : { fixed: segment(constant) };
  });
  const first = path.startsWith("/") ? "" : "/";
  if (parts.every(({ fixed }) => fixed !== undefined)) return text(quoted(first + parts.map(({ fixed }) => fixed).join("")));
  const inside = parts.map(({ fixed, code }) => (fixed === undefined ? `\${${flat(code)}}` : templateText(fixed)));
  return text(`\`${first}${inside.join("")}\``);
}

export function segmentCode(value: PlannedValue, scope: ValueScope): Code {
  const list_ = value.kind === "list" ? row(list(value.items.map((item) => scalarCode(item, scope))), '.join(",")') : undefined;
  return row("encodeURIComponent(", list_ ?? scalarCode(value, scope), ")");
}

function segment(value: unknown): string {
  const shown = (one: unknown): string => (typeof one === "object" && one !== null ? JSON.stringify(one) : String(one));
  return encodeURIComponent(wellFormed(Array.isArray(value) ? value.map(shown).join(",") : shown(value)));
}

/** Returns a fixed part of a URL path. Characters that seqqa's client rejects or drops are percent-encoded. */
function pathText(part: string): string {
  return wellFormed(part).replaceAll(/[\p{C}\p{Z}#]/gu, encodeURIComponent);
}

function requestOptions(action: PlannedAction, scope: ValueScope, credentials: readonly Code[]): readonly Code[] {
  const { parameters, body } = action;
  const query = parameters.filter((one) => one.in === "query").map(({ name, value }) => property(name, queryCode(value, scope)));
  const headers = headersOf(action, scope);
  return [
    ...(query.length + credentials.length === 0 ? [] : [row("query: ", object([...query, ...credentials]))]),
    ...(headers.length === 0 ? [] : [row("headers: ", object(headers))]),
    ...(body === undefined ? [] : [bodyCode(action, scope)]),
  ];
}

function headersOf({ parameters, body }: PlannedAction, scope: ValueScope): readonly Code[] {
  const code = (value: PlannedValue): Code => stringCode(value, scope, headerText);
  const names = new Set<string>();
  const headers = parameters
    .filter((one) => one.in === "header" && HEADER_NAME.test(one.name))
    .filter(({ name }) => !names.has(name.toLowerCase()) && names.add(name.toLowerCase()))
    .map(({ name, value }) => property(name, code(value)));
  const type = contentTypeOf(body, scope);
  const cookies = parameters.filter((one) => one.in === "cookie" && HEADER_NAME.test(one.name));
  return [
    ...(type === undefined || names.has("content-type") ? [] : [property("content-type", text(quoted(headerText(type))))]),
    ...headers,
    ...(cookies.length === 0 || names.has("cookie") ? [] : [property("cookie", cookieCode(cookies, scope))]),
  ];
}

/** Returns the content type of a body for the generated code. Returns `undefined` if seqqa's client sets the header itself. */
function contentTypeOf(body: PlannedAction["body"], scope: ValueScope): string | undefined {
  if (body?.as === "form" && isRepeated(formFields(body.value, scope))) return body.mediaType;
  if (body?.as === "text") return body.mediaType;
  return body?.as === "json" && body.mediaType !== "application/json" ? body.mediaType : undefined;
}

function cookieCode(cookies: readonly PlannedParameter[], scope: ValueScope): Code {
  const parts = cookies.map(({ name, value }, index) => {
    const start = `${index === 0 ? "" : "; "}${name}=`;
    const fixed = constantOf(value);
    return fixed === undefined ? { start, code: scalarCode(value, scope) } : { start: start + segment(fixed), code: undefined };
  });
  if (parts.every(({ code }) => code === undefined)) return text(quoted(parts.map(({ start }) => start).join("")));
  const inside = parts.map(({ start, code }) => templateText(start) + (code === undefined ? "" : `\${encodeURIComponent(${flat(code)})}`));
  return text(`\`${inside.join("")}\``);
}

function queryCode(value: PlannedValue, scope: ValueScope): Code {
  return value.kind === "list" ? list(value.items.map((item) => queryItem(item, scope))) : fixedList(value, scope);
}

function fixedList(value: PlannedValue, scope: ValueScope): Code {
  if (value.kind !== "constant" || !Array.isArray(value.value)) return scalarCode(value, scope);
  return list(value.value.map((item) => queryItem({ kind: "constant", value: item }, scope)));
}

/** Returns code for an item of a list in the query. `null` becomes an empty string, because the client cannot send a list with a missing item. */
function queryItem(item: PlannedValue, scope: ValueScope): Code {
  return item.kind === "constant" && item.value === null ? text('""') : scalarCode(item, scope);
}

function bodyCode({ body }: PlannedAction, scope: ValueScope): Code {
  const { as, value } = body!;
  if (as === "json") return row("json: ", valueCode(value, scope));
  if (as === "text") return row("body: ", stringCode(value, scope));
  if (as === "multipart") return row("multipart: ", object(multipartFields(body!, scope)));
  const fields = formFields(value, scope);
  if (!isRepeated(fields)) return row("form: ", object(fields.map(([name, of]) => property(name, fieldCode(of, scope)))));
  const pairs = fields.map(([name, of]) => list([text(quoted(name)), textCode(of, scope)]));
  return row("body: new URLSearchParams(", list(pairs), ").toString()");
}

type Fields = readonly (readonly [name: string, value: PlannedValue])[];

/**
 * Returns the fields of a form without lists and objects: the items of a list are fields with the same name, the field `b` of an object `a` is named
 * `a[b]`, and the field of an object in a list `a[0][b]`.
 */
function formFields(value: PlannedValue, scope: ValueScope): Fields {
  const inner = ([name, of]: Fields[number]): Fields => {
    if (scope.drawnBefore.has(of)) return [[name, of]];
    const items = itemsOf(of);
    if (items?.every((item) => !isNested(item)) === true) return items.map((item) => [name, item]);
    if (items !== undefined) return items.flatMap((item, at) => inner([`${name}[${at}]`, item]));
    return isNested(of) ? fieldsOf(of).flatMap(([key, one]) => inner([`${name}[${key}]`, one])) : [[name, of]];
  };
  return fieldsOf(value).flatMap(inner);
}

const isRepeated = (fields: Fields): boolean => new Set(fields.map(([name]) => name)).size < fields.length;

/**
 * Returns the fields of a multipart body. A list becomes one field for each item, and an object becomes a part with JSON (OpenAPI 3, Encoding
 * Object).
 */
function multipartFields({ value, files = [] }: NonNullable<PlannedAction["body"]>, scope: ValueScope): readonly Code[] {
  const parts = new Map<string, { readonly codes: Code[]; readonly isList: boolean }>();
  for (const [name, of] of fieldsOf(value)) {
    const file = files.find((one) => one.name === name);
    const items = scope.drawnBefore.has(of) ? undefined : itemsOf(of);
    const codes = (items ?? [of]).map((item) => (file === undefined ? partCode(item, scope) : fileCode(item, file.contentType, scope)));
    const known = parts.get(name);
    parts.set(name, { codes: [...(known?.codes ?? []), ...codes], isList: known !== undefined || items !== undefined });
  }
  return [...parts].map(([name, { codes, isList }]) => property(name, isList ? list(codes) : codes[0]!));
}

function partCode(value: PlannedValue, scope: ValueScope): Code {
  if (scope.drawnBefore.has(value) || !isNested(value) || itemsOf(value) !== undefined) return fieldCode(value, scope);
  return object([row("content: ", scalarCode(value, scope)), text('contentType: "application/json"')]);
}

function fileCode(value: PlannedValue, contentType: string | undefined, scope: ValueScope): Code {
  const type = contentType === undefined ? [] : [text(`contentType: ${quoted(contentType)}`)];
  return object([row("content: ", stringCode(value, scope)), text('filename: "example.txt"'), ...type]);
}

function itemsOf(value: PlannedValue): readonly PlannedValue[] | undefined {
  if (value.kind === "list") return value.items;
  if (value.kind !== "constant" || !Array.isArray(value.value)) return undefined;
  return (value.value as readonly Json[]).map((item) => ({ kind: "constant", value: item }));
}

function isNested(value: PlannedValue): boolean {
  return (
    value.kind === "object" ||
    value.kind === "list" ||
    (value.kind === "constant" && typeof value.value === "object" && value.value !== null)
  );
}

function fieldsOf(value: PlannedValue): Fields {
  if (value.kind === "object") return value.entries;
  if (value.kind !== "constant" || typeof value.value !== "object" || value.value === null || Array.isArray(value.value)) return [];
  return Object.entries(value.value).map(([name, of]) => [name, { kind: "constant", value: of }]);
}

/** Returns code for a field of a form. Forms have no `null`, so an empty string is sent instead. */
function fieldCode(value: PlannedValue, scope: ValueScope): Code {
  return value.kind === "constant" && value.value === null ? text('""') : scalarCode(value, scope);
}

/** Returns code for a field of a form, as a text. */
function textCode(value: PlannedValue, scope: ValueScope): Code {
  return value.kind === "constant" && value.value === null ? text('""') : stringCode(value, scope);
}

const property = (name: string, value: Code): Code => row(`${propertyName(name)}: `, value);

function headerText(value: string): string {
  return wellFormed(value).replaceAll(/[^\t\x20-\x7e]/gu, encodeURIComponent);
}

/** Replaces lone surrogates (halves of UTF-16 surrogate pairs) in a text, because `encodeURIComponent` throws an error for them. */
function wellFormed(value: string): string {
  return value.replaceAll(/\p{Cs}/gu, "\ufffd");
}
