import type { Operation } from "../../../openapi/operations/description.ts";
import { percentDecoded } from "../../../openapi/parse/percent-decoded.ts";
import { answerSchema, successes } from "../actions/answers.ts";
import type { Called } from "../resources/found-resource.ts";
import type { Source } from "../actions/producers.ts";
import { isRecord, type Schemas } from "../values/schemas.ts";
import type { Schema } from "../../../openapi/operations/description.ts";

/** An OpenAPI link, which copies a value of one operation into a parameter of another operation. */
export interface LinkEdge {
  readonly from: Called;
  readonly source: Source | { readonly kind: "constant"; readonly value: unknown };
  readonly schema: Schema;
  readonly to: Called;
  readonly name: string;
  readonly in: string;
  readonly link: string;
}

/** Returns the OpenAPI links for which the operation, the parameter and the value can be found. */
export function linkEdges(calls: readonly Called[], schemas: Schemas): readonly LinkEdge[] {
  const byId = new Map<string, Called>();
  const byPlace = new Map<string, Called>();
  for (const call of calls) {
    if (call.operation.id !== undefined && !byId.has(call.operation.id)) byId.set(call.operation.id, call);
    byPlace.set(`${call.operation.method} ${call.operation.path}`, call);
  }
  return calls.flatMap((from) =>
    successes(from.operation).flatMap(({ links }) =>
      links.flatMap(({ name: link, operationId, operationRef, parameters }) => {
        const to = operationId === undefined ? byPlace.get(placeOf(operationRef)) : byId.get(operationId);
        if (to === undefined) return [];
        return [...parameters].flatMap(([parameter, expression]): LinkEdge[] => {
          const place = parameterOf(to.operation, parameter);
          const source = sourceOf(expression, from.operation, schemas);
          return place === undefined || source === undefined ? [] : [{ from, to, link, ...place, ...source }];
        });
      }),
    ),
  );
}

/**
 * Returns the method and URL path in an operation reference: `get /orders/{id}` for `#/paths/~1orders~1{id}/get`. Returns an empty text if the
 * reference contains no method and path.
 */
function placeOf(operationRef: string | undefined): string {
  const parts = /#\/paths\/([^/]+)\/([a-z]+)$/.exec(operationRef ?? "");
  return parts === null ? "" : `${parts[2]!} ${decoded(parts[1]!)}`;
}

function decoded(token: string): string {
  return percentDecoded(token).replaceAll("~1", "/").replaceAll("~0", "~");
}

function parameterOf({ parameters }: Operation, written: string): { readonly name: string; readonly in: string } | undefined {
  const [, where, name] = /^(path|query|header|cookie)\.(.+)$/s.exec(written) ?? [];
  const found =
    parameters.find((one) => where !== undefined && one.in === where && one.name === name) ??
    parameters.find((one) => one.name === written && one.in === "path") ??
    parameters.find((one) => one.name === written);
  return found === undefined ? undefined : { name: found.name, in: found.in };
}

function sourceOf(
  expression: unknown,
  operation: Operation,
  schemas: Schemas,
): { readonly source: LinkEdge["source"]; readonly schema: Schema } | undefined {
  if (typeof expression !== "string") return { source: { kind: "constant", value: expression }, schema: true };
  const plain = /^\{(\$.+)\}$/s.exec(expression)?.[1] ?? expression;
  if (!plain.startsWith("$")) return { source: { kind: "constant", value: plain }, schema: true };
  if (/^\$response\.header\.location$/i.test(plain)) return { source: { kind: "location" }, schema: { type: "string" } };
  const body = /^\$response\.body(?:#(.*))?$/s.exec(plain);
  if (body !== null) {
    const tokens = (body[1] ?? "").split("/").slice(1).map(decoded);
    return followed(answerSchema(operation), tokens, schemas);
  }
  const parameter = /^\$request\.path\.(.+)$/s.exec(plain);
  if (parameter !== null) {
    const found = operation.parameters.find((one) => one.in === "path" && one.name === parameter[1]);
    return found === undefined ? undefined : { source: { kind: "sentParameter", name: found.name }, schema: found.schema };
  }
  const sent = /^\$request\.body#\/([^/]+)$/s.exec(plain);
  return sent === null ? undefined : { source: { kind: "sentField", name: decoded(sent[1]!) }, schema: true };
}

/** Follows the tokens of a JSON pointer into a schema. If the schema is an array, a numeric token is an index. */
function followed(start: Schema | undefined, tokens: readonly string[], schemas: Schemas): ReturnType<typeof sourceOf> {
  let schema = start;
  const path: (string | number)[] = [];
  for (const token of tokens) {
    const flat = schemas.flat(schema);
    const list = flat.types.has("array") && /^\d+$/.test(token);
    path.push(list ? Number(token) : token);
    // The link refers to a field that the described answer does not have. Such a link is ignored.
    if (!list && (flat.types.has("array") || (flat.properties.size > 0 && !flat.properties.has(token)))) return undefined;
    const items = flat.keywords["items"];
    schema = list ? (isRecord(items) ? items : true) : flat.properties.get(token);
  }
  return path.length === 0 ? undefined : { source: { kind: "body", path }, schema: schema ?? true };
}
