import type { Operation, Parameter, Schema } from "../../../openapi/operations/description.ts";
import type { PathShape } from "./path-shape.ts";

export interface Called {
  readonly operation: Operation;
  readonly path: PathShape;
}

export interface FoundResource {
  name: string;
  nouns: readonly string[];
  /** The URL path of an item without parameter names, for example `/orders/{}`. `collectionShape` is the URL path of the collection. */
  readonly shape: string;
  readonly collectionShape: string;
  readonly itemPath: string;
  /**
   * The URL path of the collection up to its last parameter, which identifies the owner of the items, without parameter names. `undefined` if the
   * path has no parameter.
   */
  readonly scope: string | undefined;
  collectionPath: string;
  /** The last parameter of the item's URL path. If operations give this parameter different names, the most specific name is used. */
  readonly parameter: Parameter;
  /** The other parameters of the item's URL path. `shape` is the URL path up to each parameter, without parameter names. */
  readonly leading: readonly { readonly parameter: Parameter; readonly shape: string }[];
  readonly parent: FoundResource | undefined;
  /** `true` if no URL path leads to a single item, so that only a list returns the ids. */
  readonly unreachable: boolean;
  readonly operations: {
    /** The operations that create an item. The `POST` to the collection comes first. */
    readonly create: Called[];
    readonly list: Called[];
    /** `GET` operations that return one item although its id is not in the path, for example `/users/me`. */
    readonly one: Called[];
    read: Called | undefined;
    readonly update: Called[];
    delete: Called | undefined;
    /** A `PUT` that creates an item with an id that the client chooses. */
    putCreate: Called | undefined;
  };
  /** Texts that identify the schemas of an item, such as their `$ref`. See `Schemas.identities`. */
  readonly identities: Set<string>;
  id: string | undefined;
  key: string;
}

export interface Place {
  readonly path: readonly (string | number)[];
  readonly schema: Schema;
}
