import type { Schema } from "../../../openapi/operations/description.ts";
import { answerSchema, answersStatus } from "../actions/answers.ts";
import type { Called, FoundResource } from "./found-resource.ts";
import { isIdWord } from "./id-field.ts";
import { leadingParts } from "./leading-parts.ts";
import { placeOfItem, placeOfItems, type ItemPlace } from "./places.ts";
import type { Schemas } from "../values/schemas.ts";
import { singularName, squashed } from "./words.ts";

/**
 * Finds operations on a resource that are outside the resource's own URL paths, and adds them to the resource. Compares the schemas of answers. For
 * example, `POST /customers/{id}/orders` creates items that `/orders/{id}` reads, and `/pets/findByStatus` lists pets.
 */
export function relateResources(resources: readonly FoundResource[], calls: readonly Called[], schemas: Schemas): void {
  forgetShared(resources);
  const own = new Set(resources.flatMap(({ operations }) => [...operations.create, ...operations.list, operations.read]));
  for (const call of calls) {
    const { method } = call.operation;
    if ((method !== "get" && method !== "post") || own.has(call)) continue;
    const within = identitiesWithin(answerSchema(call.operation), schemas, 0);
    const last = call.path.segments.at(-1);
    const noun = last?.kind === "literal" ? singularName(last.text) : undefined;
    for (const resource of resources) {
      // Skip most pairs of operation and resource with a quick check, because the full comparison is slow.
      const { identities, nouns } = resource;
      const named = nouns.at(-1) === noun && (method === "get" || identities.size === 0);
      const perhaps = named || [...identities].some((one) => within.has(one));
      if (perhaps) relate(call, resource, resources, schemas);
    }
  }
}

function identitiesWithin(schema: Schema | undefined, schemas: Schemas, depth: number): ReadonlySet<string> {
  const found = new Set<string>();
  for (const { schema: form, flat } of schema === undefined ? [] : schemas.forms(schema)) {
    for (const identity of schemas.identities(form)) found.add(identity);
    const { properties, keywords } = flat;
    const inner = depth < 3 ? [...(depth < 2 ? properties.values() : []), keywords["items"] as Schema | undefined] : [];
    for (const one of inner) if (one !== undefined) for (const identity of identitiesWithin(one, schemas, depth + 1)) found.add(identity);
  }
  return found;
}

/** Removes schemas that occur in several resources from `identities`, because a schema such as `{ id }` does not identify one resource. */
function forgetShared(resources: readonly FoundResource[]): void {
  const nouns = new Map<string, Set<string>>();
  for (const { identities, nouns: own } of resources) {
    for (const identity of identities) nouns.set(identity, (nouns.get(identity) ?? new Set()).add(own.at(-1)!));
  }
  for (const { identities } of resources) for (const one of identities) if (nouns.get(one)!.size > 1) identities.delete(one);
}

function relate(call: Called, resource: FoundResource, resources: readonly FoundResource[], schemas: Schemas): void {
  const { operation, path } = call;
  const { scope, operations, identities, nouns } = resource;
  // Ignore an operation below an item, such as `/orders/{id}/copy`: it does not count as creating an item of the same resource.
  if (path.shapes.includes(resource.shape)) return;
  // `true` if the URL path contains the id of the item's owner, or if items of this resource have no owner. Otherwise, the owner is unknown, so the
  // item itself must contain the values of all parameters in the item's path.
  const within = scope === undefined || path.shapes.includes(scope);
  const belongs = ({ item }: ItemPlace): boolean => within || leadingParts(item, resource, call, resources, schemas) !== undefined;
  const same = (schema: Schema | undefined): boolean => schemas.identities(schema).some((one) => identities.has(one));
  const answer = answerSchema(operation);
  if (operation.method === "get") {
    const items = placeOfItems(answer, nouns, schemas);
    if (items !== undefined) {
      const place = placeOfItem(items.schema, resource, schemas);
      const isList = place?.body.length === 0 && (same(place.item) || isListOf(call, resource));
      if (isList && belongs(place)) operations.list.push(call);
    } else if (path.segments.every(({ kind }) => kind === "literal")) {
      const place = placeOfItem(answer, resource, schemas);
      if (place !== undefined && same(place.item) && !isPart(place, answer, schemas) && belongs(place)) operations.one.push(call);
    }
    return;
  }
  // Without schemas to compare, the name of a resource is enough only if no other resource has this name and no other operation creates its items.
  // For example, `comments` of issues and `comments` of commits have the same name.
  const only = resources.filter((one) => one.nouns.at(-1) === nouns.at(-1)).length === 1 && operations.create.length === 0;
  if (answer === undefined && only && within && endsWith(call, nouns.at(-1)!)) {
    operations.create.push(call);
    return;
  }
  const place = placeOfItem(answer, resource, schemas);
  if (place === undefined || isPart(place, answer, schemas) || !saysThatItCreates(call, nouns.at(-1)!) || !belongs(place)) return;
  if (identities.size > 0 ? same(place.item) : only) operations.create.push(call);
}

/**
 * Returns `true` for a list named like the resource, even if the schema of its items is different: `/user/orgs` and `/enterprises/{id}/orgs` both
 * list items of `/orgs/{org}`.
 */
function isListOf(call: Called, { nouns, operations, leading }: FoundResource): boolean {
  return operations.list.length === 0 && leading.length === 0 && endsWith(call, nouns.at(-1)!);
}

/** Returns `true` if an object around the item has an id of its own. The item is then only a part of the answer, like the author in a comment. */
function isPart({ body }: ItemPlace, answer: Schema | undefined, schemas: Schemas): boolean {
  let schema = answer;
  for (const step of body) {
    const { properties, keywords } = schemas.flat(schema);
    if (typeof step === "string" && [...properties.keys()].some((name) => isIdWord(squashed(name)))) return true;
    schema = typeof step === "string" ? properties.get(step) : (keywords["items"] as Schema | undefined);
  }
  return false;
}

/**
 * Returns `true` if an operation seems to create an item: it answers 201 or 202, it has no path parameters, or its path ends with the name of the
 * resource. Examples are `/pulls/{number}/codespaces` and `/auth/register`, but not `/codespaces/{name}/stop`. An answer with 202 can contain the id
 * of an item that is still being created.
 */
function saysThatItCreates(call: Called, noun: string): boolean {
  const { operation, path } = call;
  if (answersStatus(operation, "201") || answersStatus(operation, "202") || path.segments.every(({ kind }) => kind === "literal"))
    return true;
  return endsWith(call, noun);
}

/** Returns `true` if a URL path ends with the name of a resource. */
function endsWith({ path }: Called, noun: string): boolean {
  const last = path.segments.at(-1);
  return last?.kind === "literal" && singularName(last.text) === noun;
}
