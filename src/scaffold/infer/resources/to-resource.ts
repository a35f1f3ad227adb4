import type { Resource } from "../../../model/declare/resource.ts";
import { answerSchema } from "../actions/answers.ts";
import type { Facts } from "../facts.ts";
import type { Called, FoundResource } from "./found-resource.ts";
import { placeOfItem, placeOfItems } from "./places.ts";
import type { Schemas } from "../values/schemas.ts";
import { squashed } from "./words.ts";

/**
 * Converts a resource to the form that the rules in the generated exploration use. Returns `undefined` if the id field is unknown or no URL path
 * leads to an item.
 */
export function toResource(resource: FoundResource, { schemas, restores }: Pick<Facts, "schemas" | "restores">): Resource | undefined {
  const { operations, id } = resource;
  if (id === undefined || resource.unreachable) return undefined;
  const created = placeOf(operations.create[0], resource, schemas);
  const read = placeOf(operations.read, resource, schemas);
  const place = read ?? created;
  const body = place?.body.map(String) ?? [];
  const items = operations.list[0];
  const list = items === undefined ? undefined : placeOfItems(answerSchema(items.operation), resource.nouns, schemas)?.path.map(String);
  const own = operations.create[0] ?? (items !== undefined && onlyParameters(items) ? items : undefined);
  const update = operations.update.map(({ operation }) => (operation.method === "put" ? "PUT" : "PATCH"));
  const verb = [...restores].find(([, of]) => of === resource)?.[0].path.match(/\/[^/{}]+\/?$/)?.[0];
  // `true` if the answers to creating and to reading have the item at the same place. The rule that compares both items requires this.
  const alike = created === undefined || read === undefined || created.body.join("/") === read.body.join("/");
  return {
    name: resource.name,
    collection: atCollection(resource) ? resource.collectionPath : (own?.operation.path ?? resource.collectionPath),
    item: resource.itemPath,
    ...(place !== undefined && place.id !== "id" ? { id: [place.id] } : id !== "id" ? { id: [id] } : {}),
    ...(list !== undefined && list.length > 0 && { items: list }),
    ...(body.length > 0 && { body }),
    can: {
      ...(operations.create.length > 0 && alike && { create: true }),
      ...(items?.path.shape === resource.collectionShape && givesAll(items, schemas) && { list: true }),
      ...(operations.read !== undefined && { read: true }),
      ...(update.length > 0 && { update: [...new Set(update)] }),
      ...(operations.delete !== undefined && { delete: true }),
    },
    ...(verb !== undefined && { restore: resource.itemPath.replace(/\/$/, "") + verb }),
    ...(resource.parent !== undefined && { parent: resource.parent.name }),
  };
}

function placeOf(call: Called | undefined, resource: FoundResource, schemas: Schemas): ReturnType<typeof placeOfItem> {
  return call === undefined ? undefined : placeOfItem(answerSchema(call.operation), resource, schemas);
}

function atCollection({ operations, collectionShape }: FoundResource): boolean {
  return [...operations.create, ...operations.list].some(({ path }) => path.shape === collectionShape);
}

function onlyParameters({ operation }: Called): boolean {
  return operation.parameters.every(({ required, in: where }) => where === "path" || !required);
}

const PAGING = new Set(
  "page pagenumber pagesize perpage limit offset cursor after before size skip take top count maxresults pagetoken startingafter endingbefore start first last".split(
    " ",
  ),
);

/** Matches the names of parameters that change the form or the order of a list, but not its items. */
const FORM = /^(?:sort|order|direction|fields|select|include|expand|with|show|format|lang|locale|view)/;

/** Returns `true` if a list operation returns all items: it has no parameter for paging, no required filter, and no filter with a default value. */
function givesAll({ operation }: Called, schemas: Schemas): boolean {
  return operation.parameters.every(({ name, in: where, required, schema }) => {
    if (where === "path") return true;
    const isFilter = where === "query" && !FORM.test(squashed(name)) && schemas.resolved(schema)["default"] !== undefined;
    return !required && !isFilter && !PAGING.has(squashed(name));
  });
}
