import type { ApiDescription, Operation } from "../../openapi/description.ts";
import type { Checker } from "./check-value.ts";
import type { Kind } from "./classify.ts";
import type { FoundResource } from "./found-resource.ts";
import type { KeyIndex } from "./key-index.ts";
import type { OperationName } from "./name-operations.ts";
import type { Producer } from "./producers.ts";
import type { Schemas } from "./schemas.ts";

/** All that was found out before actions are drafted. */
export interface Facts {
  readonly description: ApiDescription;
  readonly schemas: Schemas;
  readonly checker: Checker;
  readonly resources: readonly FoundResource[];
  readonly names: ReadonlyMap<Operation, OperationName>;
  readonly kinds: ReadonlyMap<Operation, Kind>;
  /** What brings deleted things back. */
  readonly restores: ReadonlyMap<Operation, FoundResource>;
  readonly producers: Map<string, readonly Producer[]>;
  readonly index: KeyIndex;
  /** Keys or constants that links give to parameters, by {@link placeOfParameter}. */
  readonly linked: ReadonlyMap<string, Linked>;
}

export type Linked =
  | { readonly kind: "key"; readonly key: string; readonly link: string }
  | { readonly kind: "constant"; readonly value: unknown; readonly link: string };

export function placeOfParameter({ method, path }: Operation, where: string, name: string): string {
  return JSON.stringify([method, path, where, name]);
}
