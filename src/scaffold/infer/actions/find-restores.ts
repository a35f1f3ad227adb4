import type { Operation } from "../../../openapi/operations/description.ts";
import type { Called, FoundResource } from "../resources/found-resource.ts";
import { squashed } from "../resources/words.ts";

/** Words for operations that undo a deletion. `reopen` and `activate` are not included, because they undo other changes. */
const RESTORES = new Set("restore undelete recover untrash unremove undestroy undodelete reinstate revive".split(" "));
const WRITES = new Set(["post", "put", "patch"]);

/**
 * Returns the operations that restore a deleted item, for example `POST /orders/{id}/restore`, each with its resource. Only resources with a delete
 * operation are considered.
 */
export function findRestores(calls: readonly Called[], resources: readonly FoundResource[]): ReadonlyMap<Operation, FoundResource> {
  const keys = new Set(resources.map(({ key }) => key));
  const deletable = new Map(
    resources.filter((one) => one.operations.delete !== undefined && !keys.has(deletedKey(one))).map((one) => [one.shape, one]),
  );
  return new Map(
    calls.flatMap(({ operation, path }): readonly (readonly [Operation, FoundResource])[] => {
      const verb = path.segments.at(-1);
      const resource = deletable.get(path.shapes.at(-2) ?? "");
      const restores = WRITES.has(operation.method) && verb?.kind === "literal" && RESTORES.has(squashed(verb.text));
      return restores && resource !== undefined ? [[operation, resource]] : [];
    }),
  );
}

/** Returns the context key that stores the id of a deleted item, so that a later action can restore the item. */
export function deletedKey({ key }: FoundResource): string {
  return `deleted_${key}`;
}
