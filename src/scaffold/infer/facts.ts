import type { ApiDescription, Operation } from "../../openapi/operations/description.ts";
import type { Authentication } from "./accounts/authentication.ts";
import type { Checker } from "./values/check-value.ts";
import type { Kind } from "./actions/classify.ts";
import type { FoundResource } from "./resources/found-resource.ts";
import type { KeyIndex } from "./resources/key-index.ts";
import type { OperationName } from "./actions/name-operations.ts";
import type { Producer } from "./actions/producers.ts";
import type { Schemas } from "./values/schemas.ts";

export interface Facts {
  readonly description: ApiDescription;
  readonly authentication: Authentication;
  readonly schemas: Schemas;
  readonly checker: Checker;
  readonly resources: readonly FoundResource[];
  readonly names: ReadonlyMap<Operation, OperationName>;
  readonly kinds: ReadonlyMap<Operation, Kind>;
  readonly restores: ReadonlyMap<Operation, FoundResource>;
  readonly producers: Map<string, readonly Producer[]>;
  readonly index: KeyIndex;
  /** The keys or constants that OpenAPI links assign to parameters. The key of this map is the result of {@link placeOfParameter}. */
  readonly linked: ReadonlyMap<string, Linked>;
  /** The context keys of parameters whose values no operation returns. The key of this map is the result of {@link placeOfParameter}. */
  readonly common: ReadonlyMap<string, string>;
}

export type Linked =
  | { readonly kind: "key"; readonly key: string; readonly link: string }
  | { readonly kind: "constant"; readonly value: unknown; readonly link: string };

export function placeOfParameter({ method, path }: Operation, where: string, name: string): string {
  return JSON.stringify([method, path, where, name]);
}
