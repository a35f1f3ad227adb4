import type { Operation, Parameter } from "../../../openapi/operations/description.ts";
import { answerSchema, answersStatus } from "../actions/answers.ts";
import { createResource, type Candidate } from "./create-resource.ts";
import type { Called, FoundResource } from "./found-resource.ts";
import { idName, idProperty } from "./id-field.ts";
import { saysNothing } from "./path-shape.ts";
import { placeOfItem, placeOfItems } from "./places.ts";
import type { Schemas } from "../values/schemas.ts";
import { singularName, words } from "./words.ts";

/**
 * Finds the resources of an API: places in URL paths that consist of a word and a parameter, such as `/orders/{order_id}`, and where an operation
 * acts on one item. If an id has several parts, as in `/repos/{owner}/{repo}`, only the last part counts as the id of the resource.
 */
export function findResources(calls: readonly Called[], schemas: Schemas): readonly FoundResource[] {
  const byShape = new Map<string, FoundResource>();
  const whole = byWholeShape(calls);
  for (const candidate of candidates(calls).sort((a, b) => a.depth - b.depth)) {
    if (candidate.isRest && byShape.has(candidate.collectionShape)) continue;
    const operations = whole.get(candidate.shape) ?? [];
    const onCollection = whole.get(candidate.collectionShape) ?? [];
    if (!isKept(operations, onCollection, schemas) || isBeginning(candidate, operations, whole, schemas)) continue;
    byShape.set(candidate.shape, createResource(candidate, operations, onCollection, byShape));
  }
  const all = [...byShape.values()];
  for (const resource of all) describeItems(resource, schemas);
  return all;
}

function candidates(calls: readonly Called[]): Candidate[] {
  const found = new Map<string, Candidate>();
  for (const { operation, path } of calls) {
    path.segments.forEach((segment, at) => {
      if (segment.kind !== "parameter") return;
      const start = path.segments.findLastIndex(({ kind }, index) => index < at && kind !== "parameter");
      const before = path.segments[start];
      if (before?.kind !== "literal" || saysNothing(before.text)) return;
      const noun = singularName(before.text);
      const described = parameterAt(operation, segment.name);
      const shape = path.shapes[at]!;
      const known = found.get(shape);
      if (known !== undefined) known.parameters.push(described);
      else if (noun !== "") {
        found.set(shape, {
          shape,
          collectionShape: path.shapes[at - 1]!,
          itemPath: path.texts[at]!,
          collectionPath: path.texts[at - 1]!,
          noun,
          depth: at,
          isRest: start < at - 1,
          parameters: [described],
          leading: path.segments.flatMap((one, index) =>
            one.kind === "parameter" && index < at ? [{ parameter: parameterAt(operation, one.name), shape: path.shapes[index]! }] : [],
          ),
          above: path.shapes.slice(0, at).reverse(),
        });
      }
    });
  }
  return [...found.values()];
}

function parameterAt({ parameters }: Operation, name: string): Parameter {
  const found = parameters.find((one) => one.in === "path" && one.name === name);
  return found ?? { name, in: "path", required: true, schema: true, style: "simple", explode: false, examples: [], description: undefined };
}

function byWholeShape(calls: readonly Called[]): ReadonlyMap<string, readonly Called[]> {
  const whole = new Map<string, Called[]>();
  for (const call of calls) {
    const same = whole.get(call.path.shape);
    if (same === undefined) whole.set(call.path.shape, [call]);
    else same.push(call);
  }
  return whole;
}

function isKept(onItem: readonly Called[], onCollection: readonly Called[], schemas: Schemas): boolean {
  const changes = onItem.some(({ operation: { method } }) => method === "put" || method === "patch" || method === "delete");
  const read = onItem.find(({ operation: { method } }) => method === "get");
  // In a path such as `/pets/{status}` whose `GET` returns an array, the parameter is not the id of an item, but selects items of `/pets`.
  if (read !== undefined && !changes && schemas.flat(answerSchema(read.operation)).types.has("array")) return false;
  return changes || read !== undefined || onCollection.some(({ operation: { method } }) => method === "get" || method === "post");
}

/**
 * Returns `true` if a parameter is only the first part of an id, such as `{owner}`: the path `/repos/{owner}` only lists items, and a single item has
 * the path `/repos/{owner}/{repo}`.
 */
function isBeginning(
  { shape, parameters, noun }: Candidate,
  onItem: readonly Called[],
  whole: ReadonlyMap<string, readonly Called[]>,
  schemas: Schemas,
): boolean {
  const rest = whole.get(`${shape}/{}`) ?? [];
  if (!rest.some(({ operation: { method } }) => method !== "post")) return false;
  return onItem.every(({ operation }) => {
    const answer = answerSchema(operation);
    const lists = operation.method === "get" && placeOfItems(answer, [noun], schemas) !== undefined;
    const isOne = idProperty(schemas.flat(answer), parameters[0]!, [noun], schemas) !== undefined;
    return operation.method === "post" || (lists && !isOne);
  });
}

/**
 * Completes a resource with data from the schemas of its items: the field with the id, the schemas of an item, and the `PUT` that creates an item.
 */
export function describeItems(resource: FoundResource, schemas: Schemas): void {
  const { operations, parameter, nouns } = resource;
  const described = [operations.read, ...operations.create, ...operations.update].filter((one) => one !== undefined);
  for (const { operation } of described) {
    const place = placeOfItem(answerSchema(operation), resource, schemas, true);
    if (place === undefined) continue;
    resource.id ??= place.id;
    for (const identity of schemas.identities(place.item)) resource.identities.add(identity);
  }
  for (const { operation } of operations.list) {
    const items = placeOfItems(answerSchema(operation), nouns, schemas);
    const place = items === undefined ? undefined : placeOfItem(items.schema, resource, schemas);
    if (place === undefined || place.body.length > 0) continue;
    resource.id ??= place.id;
    for (const identity of schemas.identities(place.item)) resource.identities.add(identity);
  }
  const put = operations.update.find(({ operation }) => operation.method === "put");
  // A `PUT` can only create an item if it has a body. A `PUT` without a body, or with the id of another resource in its path, connects existing
  // items.
  const chosen = put !== undefined && put.operation.body !== undefined && idName(parameter.name, nouns).own;
  if (chosen && operations.create.length === 0 && (answersStatus(put.operation, "201") || saysCreate(put.operation))) {
    operations.putCreate = put;
  }
}

function saysCreate({ id, summary }: Operation): boolean {
  return words(`${id ?? ""} ${(summary ?? "").slice(0, 100)}`).some((word) => word === "create" || word === "creates" || word === "upsert");
}
