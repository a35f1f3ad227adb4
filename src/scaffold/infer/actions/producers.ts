import type { Schema } from "../../../openapi/operations/description.ts";
import { answerSchema, isJson, schemaOf, successes } from "./answers.ts";
import type { Called, FoundResource } from "../resources/found-resource.ts";
import { idName, idProperty } from "../resources/id-field.ts";
import { placeOfItem, placeOfItems } from "../resources/places.ts";
import type { Schemas } from "../values/schemas.ts";

/** A way to obtain a key. */
export interface Producer {
  readonly call: Called;
  readonly key: string;
  readonly source: Source;
  /** The schema of the value. */
  readonly schema: Schema;
  /** The schema of the object that has the value. */
  readonly item?: Schema | undefined;
  /** A part of a sentence in the README: `id` in `id of create_order's answer`. */
  readonly what: string;
}

export type Source =
  | { readonly kind: "body"; readonly path: readonly (string | number)[] }
  | { readonly kind: "location" }
  /** The value of a field in the request. */
  | { readonly kind: "sentField"; readonly name: string }
  /** The value of a path parameter in the request. */
  | { readonly kind: "sentParameter"; readonly name: string };

/**
 * Returns the calls that give a resource's ids: those that create items, else the first one that lists items, of which the first item is taken, else
 * the first one that answers a single item (`/users/me`).
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

/** Sorts lists: the resource's own list first, then those whose paths have most in common with it. */
function nearest(list: readonly Called[], { shape }: FoundResource): readonly Called[] {
  const common = ({ path }: Called): number => path.shapes.filter((one) => shape.startsWith(`${one}/`)).length;
  return [...list].sort((a, b) => common(b) - common(a));
}

/** Returns `true` if an example of the value has a slash, such as `refs/heads/main`: then it is no id of a path. */
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
  // If the parameter names another resource (`/blocked_by/{issue_id}`), the answer may do so, too.
  if (!idName(resource.parameter.name, resource.nouns).own) return [];
  const { key, parameter } = resource;
  const good = successes(operation);
  if (good.some(({ headers }) => headers.has("location"))) {
    return [{ call, key, source: { kind: "location" }, schema: { type: "string" }, what: "the end of its Location" }];
  }
  // The description does not say that the answer gives an id. Then the id is the one that is sent, if one is.
  if (answerSchema(operation) !== undefined && good.some(({ status }) => status !== "default")) return [];
  const media = operation.body?.media.find(({ type }) => isJson(type)) ?? operation.body?.media[0];
  const body = schemas.flat(media === undefined ? undefined : schemaOf(media));
  const field = idProperty(body, parameter, resource.nouns, schemas);
  const schema = field === undefined ? undefined : body.properties.get(field);
  if (field === undefined || schemas.flat(schema).keywords["readOnly"] === true) return [];
  return [{ call, key, source: { kind: "sentField", name: field }, schema: schema ?? true, what: `${field} that is sent` }];
}

function fromPut(call: Called, { key, parameter }: FoundResource): Producer {
  const last = call.path.segments.at(-1);
  const name = last?.kind === "parameter" ? last.name : parameter.name;
  return { call, key, source: { kind: "sentParameter", name }, schema: parameter.schema, what: `${name} that is chosen` };
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
  // Only the item's own id counts, not the id of an object in it.
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

/** Returns the description of an id in a list: `id of the first one in data`. */
function firstOf(list: readonly (string | number)[], within: readonly (string | number)[]): string {
  return `${within.join(".")} of the first one${list.length === 0 ? "" : ` in ${list.join(".")}`}`;
}
