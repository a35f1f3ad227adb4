import type { Operation, Parameter, Schema } from "../../../openapi/operations/description.ts";
import type { PathShape } from "./path-shape.ts";

export interface Called {
  readonly operation: Operation;
  readonly path: PathShape;
}

export interface FoundResource {
  name: string;
  nouns: readonly string[];
  /** The item's path with all parameter names removed, for example `/orders/{}`. `collectionShape` is the same for the collection's path. */
  readonly shape: string;
  readonly collectionShape: string;
  readonly itemPath: string;
  /** The shape of the collection's path up to its last parameter, which identifies the owner of the items. */
  readonly scope: string | undefined;
  collectionPath: string;
  /** The last parameter of the item's path, from the operation that describes the parameter best. */
  readonly parameter: Parameter;
  /** The other parameters of the item's path, each with the shape of the path up to the parameter. */
  readonly leading: readonly { readonly parameter: Parameter; readonly shape: string }[];
  readonly parent: FoundResource | undefined;
  /** `true` if no path leads to a single item, so that only the collection returns the ids. */
  readonly unreachable: boolean;
  readonly operations: {
    /** `POST` to the collection comes first, then other calls that create an item and return it. */
    readonly create: Called[];
    readonly list: Called[];
    /** `GET` calls that return an item without its id in the path, for example `/users/me`. */
    readonly one: Called[];
    read: Called | undefined;
    readonly update: Called[];
    delete: Called | undefined;
    /** A `PUT` that creates an item under an id that the client chooses. */
    putCreate: Called | undefined;
  };
  /** The identities of schemas that describe an item. See `Schemas.identities`. */
  readonly identities: Set<string>;
  id: string | undefined;
  key: string;
}

export interface Place {
  readonly path: readonly (string | number)[];
  readonly schema: Schema;
}
