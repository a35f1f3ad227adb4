import type { Schema } from "../../../openapi/operations/description.ts";
import { answerSchema, isJson, schemaOf, successes } from "./answers.ts";
import type { Called, FoundResource } from "../resources/found-resource.ts";
import { idName, idProperty } from "../resources/id-field.ts";
import { placeOfItem, placeOfItems } from "../resources/places.ts";
import type { Schemas } from "../values/schemas.ts";

export interface Producer {
  readonly call: Called;
  readonly key: string;
  readonly source: Source;
  readonly schema: Schema;
  readonly item?: Schema | undefined;
  /** The name of the value in a sentence of the README, for example `id` in "id of create_order's answer". */
  readonly what: string;
}

export type Source =
  | { readonly kind: "body"; readonly path: readonly (string | number)[] }
  | { readonly kind: "location" }
  | { readonly kind: "sentField"; readonly name: string }
  | { readonly kind: "sentParameter"; readonly name: string };

/**
 * Returns the operations that provide ids of a resource: the operations that create items, else the first operation that lists items, else an
 * operation that returns a single item, such as `/users/me`.
 */
export function producersOf(resource: FoundResource, schemas: Schemas): readonly Producer[] {
  const { create, putCreate, list, one } = resource.operations;
  const made = create.flatMap((call) => fromCreate(call, resource, schemas));
  if (made.length > 0) return made;
  if (putCreate !== undefined) return [fromPut(putCreate, resource)];
  const listed = nearest(list, resource)
    .flatMap((call) => fromList(call, resource, schemas))
    .slice(0, 1);
  return listed.length > 0 ? listed : one.flatMap((call) => fromOne(call, resource, schemas)).slice(0, 1);
}

/** Sorts list operations by the number of segments that their URL path shares with the path of the resource, most first. */
function nearest(list: readonly Called[], { shape }: FoundResource): readonly Called[] {
  const common = ({ path }: Called): number => path.shapes.filter((one) => shape.startsWith(`${one}/`)).length;
  return [...list].sort((a, b) => common(b) - common(a));
}

/** Returns `true` if an example of the value contains a slash, for example `refs/heads/main`. Such a value cannot be used in a URL path. */
function hasSlash({ operation }: Called, path: readonly (string | number)[]): boolean {
  const media = successes(operation).flatMap((response) => response.media);
  return media.some(({ examples }) => {
    let value: unknown = examples[0];
    for (const step of path) {
      if (typeof value !== "object" || value === null || !Object.hasOwn(value, step)) return false;
      value = (value as Record<string | number, unknown>)[step];
    }
    return typeof value === "string" && value.includes("/");
  });
}

function fromCreate(call: Called, resource: FoundResource, schemas: Schemas): readonly Producer[] {
  const { operation } = call;
  if (placeOfItem(answerSchema(operation), resource, schemas, true) !== undefined) return fromOne(call, resource, schemas, true);
  // In a path such as `/blocked_by/{issue_id}`, the parameter is the id of another resource, so an id in the answer may be the id of that other
  // resource.
  if (!idName(resource.parameter.name, resource.nouns).own) return [];
  const { key, parameter } = resource;
  const good = successes(operation);
  if (good.some(({ headers }) => headers.has("location"))) {
    return [{ call, key, source: { kind: "location" }, schema: { type: "string" }, what: "the last part of the Location header" }];
  }
  // If an answer is described, it contains no id at this point. Use an id from the request only if no answer is described.
  if (answerSchema(operation) !== undefined && good.some(({ status }) => status !== "default")) return [];
  const media = operation.body?.media.find(({ type }) => isJson(type)) ?? operation.body?.media[0];
  const body = schemas.flat(media === undefined ? undefined : schemaOf(media));
  const field = idProperty(body, parameter, resource.nouns, schemas);
  const schema = field === undefined ? undefined : body.properties.get(field);
  if (field === undefined || schemas.flat(schema).keywords["readOnly"] === true) return assumed(call, resource);
  return [{ call, key, source: { kind: "sentField", name: field }, schema: schema ?? true, what: `${field} in the request body` }];
}

/**
 * Returns a producer for a call whose answer is not described, as is usual with frameworks such as NestJS. The answer is assumed to be the item that
 * the call creates.
 */
function assumed(call: Called, { key, parameter, nouns }: FoundResource): readonly Producer[] {
  const good = successes(call.operation);
  if (!good.some(({ status, media }) => status !== "204" && media.length === 0)) return [];
  const { suffix } = idName(parameter.name, nouns);
  const name = suffix === "" ? "id" : suffix;
  return [
    {
      call,
      key,
      source: { kind: "body", path: [name] },
      schema: parameter.schema,
      what: `${name}, assumed because no answer is described,`,
    },
  ];
}

function fromPut(call: Called, { key, parameter }: FoundResource): Producer {
  const last = call.path.segments.at(-1);
  const name = last?.kind === "parameter" ? last.name : parameter.name;
  return { call, key, source: { kind: "sentParameter", name }, schema: parameter.schema, what: `${name} chosen by the client` };
}

function fromOne(call: Called, resource: FoundResource, schemas: Schemas, inList: boolean = false): readonly Producer[] {
  const place = placeOfItem(answerSchema(call.operation), resource, schemas, inList);
  if (place === undefined) return [];
  const path = [...place.body, place.id];
  if (hasSlash(call, path)) return [];
  return [{ call, key: resource.key, source: { kind: "body", path }, schema: place.idSchema, item: place.item, what: path.join(".") }];
}

function fromList(call: Called, resource: FoundResource, schemas: Schemas): readonly Producer[] {
  const items = placeOfItems(answerSchema(call.operation), resource.nouns, schemas);
  const place = items === undefined ? undefined : placeOfItem(items.schema, resource, schemas);
  // The answer has no list, or the items of its list have no id. An id of another object inside an item does not count.
  if (items === undefined || place === undefined) return [];
  const path = [...items.path, 0, ...place.body, place.id];
  if (hasSlash(call, path)) return [];
  return [
    {
      call,
      key: resource.key,
      source: { kind: "body", path },
      schema: place.idSchema,
      item: place.item,
      what: firstOf(items.path, [...place.body, place.id]),
    },
  ];
}

function firstOf(list: readonly (string | number)[], within: readonly (string | number)[]): string {
  return `${within.join(".")} of the first one${list.length === 0 ? "" : ` in ${list.join(".")}`}`;
}
