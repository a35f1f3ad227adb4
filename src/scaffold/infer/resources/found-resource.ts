import type { Operation, Parameter, Schema } from "../../../openapi/operations/description.ts";
import type { PathShape } from "./path-shape.ts";

/** An operation with its parsed path. */
export interface Called {
  readonly operation: Operation;
  readonly path: PathShape;
}

/** A resource, while its facts are being collected. */
export interface FoundResource {
  /** The unique name. */
  name: string;
  /** The names in use for it, the longest first: `order_item`, `item`. */
  nouns: readonly string[];
  /** The item's path without the names of parameters; `collectionShape` is that of the collection. */
  readonly shape: string;
  readonly collectionShape: string;
  readonly itemPath: string;
  /** The collection's path up to its last parameter: the owner of the items. */
  readonly scope: string | undefined;
  collectionPath: string;
  /** The parameter at the end of the item's path, from the operation that describes it best. */
  readonly parameter: Parameter;
  /** The other parameters of the item's path, with the beginning of the path up to each. */
  readonly leading: readonly { readonly parameter: Parameter; readonly shape: string }[];
  readonly parent: FoundResource | undefined;
  /** `true`: no path leads to an item. Only the ids are known, from the collection. */
  readonly unreachable: boolean;
  readonly operations: {
    /** `POST` to the collection first, then other calls that create and answer an item. */
    readonly create: Called[];
    readonly list: Called[];
    /** `GET`s that answer an item without its id in the path: `/users/me`. */
    readonly one: Called[];
    read: Called | undefined;
    readonly update: Called[];
    delete: Called | undefined;
    /** `PUT` of an item by an id that the client chooses. */
    putCreate: Called | undefined;
  };
  /** The identities of schemas that describe an item: see `Schemas.identities`. */
  readonly identities: Set<string>;
  /** The name of the field that holds an item's id; `undefined`: not known. */
  id: string | undefined;
  /** The key of the context for an item's id. */
  key: string;
}

/** A place in an answer. */
export interface Place {
  readonly path: readonly (string | number)[];
  readonly schema: Schema;
}
