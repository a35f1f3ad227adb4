import type { Json, NotInferred, PlannedBody, PlannedParameter, PlannedValue } from "../../infer/plan.ts";
import { identifier } from "../../infer/resources/identifiers.ts";
import { singularName, snake } from "../../infer/resources/words.ts";
import type { RecordedCall } from "../recorded-call.ts";
import type { Links, Use } from "./links.ts";
import { idName, nounOfSegments } from "./nouns.ts";
import { isSecret, isSecretName, isSecretQuery, secretsInText, type Secrets } from "./secrets.ts";

export interface PlannedRequest {
  readonly path: string;
  readonly parameters: readonly PlannedParameter[];
  readonly body: PlannedBody | undefined;
  /** The values that the user has to write, because they cannot be inferred, each with a hint. */
  readonly unclear: readonly Omit<NotInferred, "action">[];
}

export interface ValueSources {
  readonly links: Links;
  readonly secrets: Secrets;
  /** `true` if `{{name}}` in a recorded text means a variable, as in Postman. */
  readonly hasVariables: boolean;
}

const DRAWN: ReadonlyMap<string, Extract<PlannedValue, { readonly kind: "drawn" }>["call"]> = new Map([
  ["$guid", "uuid"],
  ["$randomUUID", "uuid"],
  ["$randomEmail", "email"],
  ["$randomUserName", "username"],
  ["$randomFullName", "name"],
  ["$randomFirstName", "name"],
  ["$randomLastName", "name"],
  ["$randomPhoneNumber", "phone"],
  ["$randomPassword", "password"],
]);
/** Matches Postman's dynamic variables whose values are words. */
const WORDS = /Word|Noun|Verb|Adjective|Lorem|Name|City|Country|Company|Product|Color|Job|Department|Phrase/;
const wordFor = (variable: string): string =>
  `seqqa sends a random word for the variable ${variable}. Write another value if it must not be a word.`;
const PART = "seqqa cannot fill in a variable that is only part of a value. Write the whole value.";
/** Matches segments of a URL path that need no encoding. */
const PLAIN = /^[\w.~!$&'()*+,;=:@-]*$/;

/** Plans the values of a recorded request. Values from earlier answers become context keys, and secrets become environment variables. */
export function planRequest(
  { segments, query, headers, body }: RecordedCall,
  { links, secrets, hasVariables }: ValueSources,
): PlannedRequest {
  const parameters: PlannedParameter[] = [];
  const unclear: Omit<NotInferred, "action">[] = [];
  const fromEnvironment = (what: string, variable: string): PlannedValue => {
    const value = environment(variable);
    unclear.push({ what, hint: `This is a secret, so seqqa did not write it. Set the environment variable ${value.name}.` });
    return value;
  };
  const valueOf = (name: string, value: Json, use: Use): PlannedValue => {
    const [, written] = (hasVariables ? /^\{\{([^{}]+)\}\}$/.exec(use.text) : null) ?? [];
    if (written !== undefined) {
      const variable = written.trim();
      if (isSecretVariable(variable, name) && !links.isSet(variable)) return fromEnvironment(name, variable);
      if (variable.startsWith("$") && !DRAWN.has(variable) && !WORDS.test(variable)) unclear.push({ what: name, hint: wordFor(variable) });
      return variableValue(variable, links);
    }
    if (hasVariables && use.text.includes("{{")) unclear.push({ what: name, hint: PART });
    const key = links.keyFor(use);
    if (key !== undefined) return { kind: "context", key };
    const isHidden = use.isSecret === true || isSecret(name, value) || secrets.has(use.text) || secretsInText(use.text).length > 0;
    return isHidden ? fromEnvironment(name, name) : { kind: "constant", value };
  };
  const parts = segments.map((segment, at) => {
    const noun = at === 0 ? "" : nounOfSegments(segments.slice(0, at));
    const planned = valueOf("path", segment, { text: segment, noun, takesId: at > 0 });
    if (planned.kind === "constant" && PLAIN.test(segment)) return segment;
    const name = planned.kind === "context" ? planned.key : `part_${at + 1}`;
    if (!parameters.some((one) => one.name === name)) parameters.push({ name, in: "path", value: planned, why: whyOf(planned) });
    return `{${name}}`;
  });
  const named = (name: string, text: string): PlannedValue => valueOf(name, text, useOf(name, text));
  for (const [name, text] of query)
    parameters.push(parameterOf("query", name, valueOf(name, text, { ...useOf(name, text), isSecret: isSecretQuery(name, text) })));
  for (const [name, text] of headers) {
    if (/^(?:x-)?idempotency-key$/.test(name)) parameters.push(parameterOf("header", name, { kind: "drawn", call: "uuid" }));
    else if (name === "if-match") parameters.push(parameterOf("header", name, entityTag(named(name, text))));
    else if (isOwnHeader(name) && !secrets.has(text)) parameters.push(parameterOf("header", name, named(name, text)));
  }
  return { path: `/${parts.join("/")}`, parameters: mergedQueries(parameters), body: bodyOf(body, valueOf, named), unclear };
}

function bodyOf(
  body: RecordedCall["body"],
  valueOf: (name: string, value: Json, use: Use) => PlannedValue,
  named: (name: string, text: string) => PlannedValue,
): PlannedBody | undefined {
  if (body === undefined) return undefined;
  if (body.as === "text") return { as: "text", mediaType: body.mediaType, value: named("body", body.text) };
  if (body.as !== "json") {
    const entries = body.fields.map(([name, text]) => [name, named(name, text)] as const);
    return { as: body.as, mediaType: body.mediaType, value: { kind: "object", entries } };
  }
  const visit = (value: Json, name: string, parent: string): PlannedValue => {
    if (Array.isArray(value)) return { kind: "list", items: (value as readonly Json[]).map((one) => visit(one, name, parent)) };
    if (typeof value === "object" && value !== null) {
      return { kind: "object", entries: Object.entries(value).map(([key, of]) => [key, visit(of, key, name)]) };
    }
    return typeof value === "string" || typeof value === "number"
      ? valueOf(name, value, useOf(name, String(value), parent))
      : { kind: "constant", value };
  };
  return { as: "json", mediaType: body.mediaType, value: visit(body.value, "", "") };
}

function useOf(name: string, text: string, parent: string = ""): Use {
  const { noun, kind } = idName(name);
  return { text, noun: noun === "" ? singularName(parent === "" ? name : parent) : noun, takesId: kind !== undefined };
}

const isSecretVariable = (variable: string, name: string): boolean =>
  !variable.startsWith("$") && (isSecretName(name) || isSecretName(variable));

function variableValue(variable: string, links: Links): PlannedValue {
  const call = DRAWN.get(variable);
  if (call !== undefined) return { kind: "drawn", call };
  return variable.startsWith("$") ? { kind: "drawn", call: "word" } : { kind: "context", key: links.keyNamed(variable) };
}

function environment(name: string): Extract<PlannedValue, { readonly kind: "environment" }> {
  const own = identifier(snake(name), "secret").toUpperCase();
  return { kind: "environment", name: own.startsWith("API_") ? own : `API_${own}`, otherwise: "" };
}

const parameterOf = (place: "query" | "header", name: string, value: PlannedValue): PlannedParameter => ({
  name,
  in: place,
  value,
  why: whyOf(value),
});

const whyOf = (value: PlannedValue): string => (value.kind === "context" ? "the same value is in an earlier answer" : "as it was recorded");

/**
 * Replaces a recorded entity tag by `*`, which matches every version of an item (RFC 9110, section 13.1.1). The recorded tag would not match new
 * items.
 */
const entityTag = (value: PlannedValue): PlannedValue => (value.kind === "constant" ? { kind: "constant", value: "*" } : value);

/** Returns `true` for headers that the API defines. Headers of browsers, proxies and credentials are left out of generated code. */
function isOwnHeader(name: string): boolean {
  return (
    name.startsWith("x-") &&
    !/^x-(?:requested-with|forwarded|real-ip|client-data|b3|amz|datadog|request-id|correlation)/.test(name) &&
    !isSecretName(name)
  );
}

function mergedQueries(parameters: readonly PlannedParameter[]): readonly PlannedParameter[] {
  const merged = new Map<string, PlannedParameter>();
  for (const one of parameters) {
    const id = JSON.stringify([one.in, one.name]);
    const before = merged.get(id);
    if (before === undefined || one.in !== "query") merged.set(id, before ?? one);
    else
      merged.set(id, {
        ...before,
        value: { kind: "list", items: [...(before.value.kind === "list" ? before.value.items : [before.value]), one.value] },
      });
  }
  return [...merged.values()];
}
