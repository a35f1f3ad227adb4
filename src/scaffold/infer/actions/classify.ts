import type { Operation } from "../../../openapi/operations/description.ts";
import { answerSchema, schemaOf } from "./answers.ts";
import type { Called, FoundResource } from "../resources/found-resource.ts";
import { placeOfItems } from "../resources/places.ts";
import type { PlannedAction } from "../plan.ts";
import type { Schemas } from "../values/schemas.ts";

export interface Kind {
  readonly kind: PlannedAction["kind"];
  readonly resource: FoundResource | undefined;
}

/**
 * Determines for each operation what it does (such as `create` or `read`) and with which resource. An operation below an item, such as
 * `/orders/{id}/pay`, has the kind `other` and the resource of the item.
 */
export function classify(calls: readonly Called[], resources: readonly FoundResource[], schemas: Schemas): ReadonlyMap<Operation, Kind> {
  const kinds = new Map<Operation, Kind>();
  const say = (call: Called | undefined, kind: Kind["kind"], resource: FoundResource): void => {
    if (call !== undefined && !kinds.has(call.operation)) kinds.set(call.operation, { kind, resource });
  };
  for (const resource of resources) {
    const { create, list, one, read, update, delete: remove, putCreate } = resource.operations;
    say(putCreate, "create", resource);
    for (const call of create) say(call, "create", resource);
    say(read, "read", resource);
    for (const call of update) say(call, "update", resource);
    say(remove, "delete", resource);
    for (const call of list) say(call, "list", resource);
    for (const call of one) say(call, "read", resource);
  }
  const read = new Set(calls.filter(({ operation }) => operation.method === "get").map(({ path }) => path.shape));
  for (const call of calls) {
    if (!kinds.has(call.operation)) kinds.set(call.operation, otherKind(call, resources, read, schemas));
  }
  return kinds;
}

function otherKind(call: Called, resources: readonly FoundResource[], read: ReadonlySet<string>, schemas: Schemas): Kind {
  const { operation, path } = call;
  if (operation.method === "get") {
    return { kind: placeOfItems(answerSchema(operation), [], schemas) === undefined ? "read" : "list", resource: undefined };
  }
  if (operation.method === "put" || operation.method === "patch") {
    const body = operation.body?.media[0];
    const identities = body === undefined ? [] : schemas.identities(schemaOf(body));
    const whole = resources.find(
      (one) => one.collectionShape === path.shape && identities.some((identity) => one.identities.has(identity)),
    );
    if (whole !== undefined) return { kind: "update", resource: whole };
    // If the same path can be read with `GET`, this operation changes a single object, for example `/users/{id}/profile`.
    if (read.has(path.shape)) return { kind: "update", resource: undefined };
  }
  if (operation.method === "delete" && read.has(path.shape) && !resources.some(({ collectionShape }) => collectionShape === path.shape)) {
    return { kind: "delete", resource: undefined };
  }
  const innermost = resources.filter(({ shape }) => path.shapes.includes(shape)).sort((a, b) => b.shape.length - a.shape.length)[0];
  return { kind: "other", resource: innermost };
}
