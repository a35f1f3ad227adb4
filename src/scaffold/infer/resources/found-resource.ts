import type { Operation, Parameter, Schema } from "../../../openapi/operations/description.ts";
import type { PathShape } from "./path-shape.ts";

/** An operation with its path in parts. */
export interface Called {
  readonly operation: Operation;
  readonly path: PathShape;
}

/** A kind of thing, while it is being found. */
export interface FoundResource {
  /** Unique. */
  name: string;
  /** What it is called, the longest name first: `order_item`, `item`. */
  nouns: readonly string[];
  /** The item's path with parameters' names left out, the collection's likewise. */
  readonly shape: string;
  readonly collectionShape: string;
  readonly itemPath: string;
  /** What the collection's path begins with up to its last parameter: whose things these are. */
  readonly scope: string | undefined;
  collectionPath: string;
  /** The parameter at the end of the item's path, as the operation says that describes it best. */
  readonly parameter: Parameter;
  readonly parent: FoundResource | undefined;
  /** No path leads to one of them: only their ids are known, from the collection. */
  readonly unreachable: boolean;
  readonly operations: {
    /** `POST` to the collection first, then others that answer such a thing. */
    readonly create: Called[];
    readonly list: Called[];
    /** `GET`s that answer one without being asked for it by its id: `/users/me`. */
    readonly one: Called[];
    read: Called | undefined;
    readonly update: Called[];
    delete: Called | undefined;
    /** `PUT` of an item by an id that the client chooses. */
    putCreate: Called | undefined;
  };
  /** Schemas that mean such a thing: see `Schemas.identities`. */
  readonly identities: Set<string>;
  /** Where the id stands in an item; `undefined`: not known. */
  id: string | undefined;
  /** The context's key for its id. */
  key: string;
}

/** Where something stands in an answer. */
export interface Place {
  readonly path: readonly (string | number)[];
  readonly schema: Schema;
}
