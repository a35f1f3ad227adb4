import type { Schema } from "../../../openapi/operations/description.ts";
import type { FoundResource, Place } from "./found-resource.ts";
import { idProperty } from "./id-field.ts";
import type { FlatSchema, Schemas } from "../values/schemas.ts";
import { squashed } from "./words.ts";

const WRAPPERS = new Set(["data", "result", "item", "payload", "response", "body", "entity", "resource", "record", "object", "content"]);
const LIST_WRAPPERS = new Set([
  ...WRAPPERS,
  ..."items results records entries values rows list elements objects resources hits embedded".split(" "),
]);
/** The maximum number of nested objects around an item in an answer. In `{ data: { order: {...} } }`, the order has two. */
const DEEPEST = 2;

export interface ItemPlace {
  readonly body: readonly (string | number)[];
  readonly id: string;
  readonly idSchema: Schema;
  readonly item: Schema;
}

/**
 * Finds an item in the schema of an answer: the object that has the id of the resource.
 * @param inList `true` if the answer may be a list, whose first item is then used.
 */
export function placeOfItem(
  schema: Schema | undefined,
  resource: FoundResource,
  schemas: Schemas,
  inList: boolean = false,
): ItemPlace | undefined {
  return schema === undefined ? undefined : search(schema, resource, schemas, inList, 0);
}

function search(schema: Schema, resource: FoundResource, schemas: Schemas, inList: boolean, depth: number): ItemPlace | undefined {
  for (const form of schemas.forms(schema)) {
    const found = searchForm(form, resource, schemas, inList, depth);
    if (found !== undefined) return found;
  }
  return undefined;
}

function searchForm(
  { schema, flat }: ReturnType<Schemas["forms"]>[number],
  resource: FoundResource,
  schemas: Schemas,
  inList: boolean,
  depth: number,
): ItemPlace | undefined {
  const here = idProperty(flat, resource.parameter, resource.nouns, schemas);
  const found: ItemPlace | undefined =
    here === undefined ? undefined : { body: [], id: here, idSchema: flat.properties.get(here) ?? true, item: schema };
  const names = [...flat.properties.keys()];
  const named = names.filter((name) => resource.nouns.some((noun) => squashed(noun) === squashed(name)));
  // An inner object that has the name of the resource is the item, even if the object around it has an id, too.
  const wrappers = found === undefined ? [...named, ...names.filter((name) => WRAPPERS.has(squashed(name)))] : named;
  if (depth < DEEPEST) {
    for (const name of wrappers) {
      const inner = search(flat.properties.get(name)!, resource, schemas, inList, depth + 1);
      if (inner !== undefined && (found === undefined || named.includes(name))) return { ...inner, body: [name, ...inner.body] };
    }
  }
  if (found !== undefined) return found;
  const items = flat.keywords["items"] as Schema | undefined;
  if (!inList || items === undefined) return undefined;
  const first = search(items, resource, schemas, false, DEEPEST);
  return first === undefined ? undefined : { ...first, body: [0, ...first.body] };
}

export function placeOfItems(schema: Schema | undefined, nouns: readonly string[], schemas: Schemas, depth: number = 0): Place | undefined {
  for (const { flat } of schema === undefined ? [] : schemas.forms(schema)) {
    const found = itemsIn(flat, nouns, schemas, depth);
    if (found !== undefined) return found;
  }
  return undefined;
}

function itemsIn(flat: FlatSchema, nouns: readonly string[], schemas: Schemas, depth: number): Place | undefined {
  const items = flat.keywords["items"];
  if (flat.types.has("array") && (typeof items === "object" || items === true)) return { path: [], schema: (items ?? true) as Schema };
  if (depth > DEEPEST) return undefined;
  const inside = [...flat.properties].flatMap(([name, one]): { readonly name: string; readonly place: Place }[] => {
    const place = placeOfItems(one, nouns, schemas, depth + 1);
    return place === undefined ? [] : [{ name, place: { path: [name, ...place.path], schema: place.schema } }];
  });
  const plurals = new Set(nouns.flatMap((noun) => pluralsOf(squashed(noun))));
  const best =
    inside.find(({ name, place }) => place.path.length === 1 && plurals.has(squashed(name))) ??
    inside.find(({ name }) => plurals.has(squashed(name))) ??
    // The name of the list may be longer than the plural of the resource, for example `workflow_runs` for the resource `run`.
    inside.find(({ name }) => [...plurals].some((plural) => plural.endsWith("s") && squashed(name).endsWith(plural))) ??
    inside.find(({ name }) => LIST_WRAPPERS.has(squashed(name)));
  return best?.place;
}

function pluralsOf(noun: string): readonly string[] {
  return [`${noun}s`, `${noun}es`, `${noun}list`, noun.endsWith("y") ? `${noun.slice(0, -1)}ies` : noun, noun];
}
