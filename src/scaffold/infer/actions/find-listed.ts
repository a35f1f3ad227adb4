import type { Parameter } from "../../../openapi/operations/description.ts";
import { answerSchema } from "./answers.ts";
import { createResource } from "../resources/create-resource.ts";
import { describeItems } from "../resources/find-resources.ts";
import type { Called, FoundResource } from "../resources/found-resource.ts";
import { placeOfItem, placeOfItems } from "../resources/places.ts";
import type { Schemas } from "../values/schemas.ts";
import { isIdWord } from "../resources/id-field.ts";
import { singularName, snake, squashed } from "../resources/words.ts";

/**
 * Finds resources whose items have no URL path of their own, but whose ids other operations need, for example `/stations`. Only collections without
 * path parameters are considered. Collections of resources that are already known are ignored, because an API may list or search one collection under
 * many paths.
 */
export function findListed(calls: readonly Called[], resources: readonly FoundResource[], schemas: Schemas): readonly FoundResource[] {
  const found: FoundResource[] = [];
  const used = new Set(resources.flatMap(({ operations: { list, create } }) => [...list, ...create]));
  for (const { path, operation } of calls) {
    const last = path.segments.at(-1);
    const literal = path.segments.every(({ kind }) => kind === "literal");
    if (last?.kind !== "literal" || !literal || (operation.method !== "get" && operation.method !== "post")) continue;
    // In a call such as `POST /order/create`, the segment before the last one names the resource.
    const before = path.segments.at(-2);
    const isCreate = operation.method === "post" && before?.kind === "literal" && CREATES.test(squashed(last.text));
    const noun = singularName(isCreate ? before.text : last.text);
    // A path in the singular, such as `/order`, is a collection only if an operation requires the id in its query (`/order?id=7`).
    if (
      noun === "" ||
      (noun === snake(last.text) && !isAskedFor(path.shape, noun, calls)) ||
      [...resources, ...found].some(({ nouns }) => nouns.at(-1) === noun)
    )
      continue;
    const onCollection = calls.filter((one) => one.path.shape === path.shape && !used.has(one));
    const resource = createResource(
      {
        shape: `${path.shape}/{}`,
        collectionShape: path.shape,
        itemPath: `${operation.path}/{id}`,
        collectionPath: operation.path,
        noun,
        depth: path.segments.length,
        isRest: false,
        parameters: [ID],
        leading: [],
        above: [],
      },
      [],
      onCollection,
      new Map(),
      true,
    );
    describeItems(resource, schemas);
    const others = resources.some(({ identities }) => [...identities].some((one) => resource.identities.has(one)));
    if (!others && givesIds(resource, schemas)) found.push(resource);
  }
  return found;
}

function isAskedFor(shape: string, noun: string, calls: readonly Called[]): boolean {
  return calls.some(
    ({ operation: { parameters }, path }) =>
      path.shapes.includes(shape) &&
      parameters.some(({ name, in: where, required }) => where === "query" && required && namesId(squashed(name), squashed(noun))),
  );
}

const namesId = (name: string, noun: string): boolean => isIdWord(name) || (name.startsWith(noun) && isIdWord(name.slice(noun.length)));

const CREATES = /^(?:create|add|new|insert)$/;

const ID: Parameter = {
  name: "id",
  in: "path",
  required: true,
  schema: true,
  style: "simple",
  explode: false,
  examples: [],
  description: undefined,
};

/** Returns `true` if an answer contains the id of the resource's item. The id of another object inside the item does not count. */
function givesIds(resource: FoundResource, schemas: Schemas): boolean {
  const { create, list } = resource.operations;
  return (
    create.some(({ operation }) => placeOfItem(answerSchema(operation), resource, schemas)?.body.length === 0) ||
    list.some(({ operation }) => {
      const items = placeOfItems(answerSchema(operation), resource.nouns, schemas);
      return items !== undefined && placeOfItem(items.schema, resource, schemas)?.body.length === 0;
    })
  );
}
