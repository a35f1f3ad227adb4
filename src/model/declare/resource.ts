/**
 * A kind of thing that an API keeps, and its paths. Rules about created, deleted and nested things need it. `seqqa scaffold openapi` writes resources
 * to `resources.ts`.
 */
export interface Resource {
  /** E.g. `order`. */
  readonly name: string;
  /** The path of the collection, e.g. `/orders`, or `/customers/{customer_id}/orders`. */
  readonly collection: string;
  /** The path of one item: the collection's path, or another one, with a parameter at its end, e.g. `/orders/{order_id}`. */
  readonly item: string;
  /** The place of the id in an item; default `["id"]`. */
  readonly id?: readonly string[];
  /** The place of the items in the answer to the list; default: the answer is the list. */
  readonly items?: readonly string[];
  /** The place of the item in the answer to create and read; default: the answer is the item. */
  readonly body?: readonly string[];
  /** The operations that the API offers. */
  readonly can: {
    /** `POST` to the collection. */
    readonly create?: boolean;
    /** `GET` of the collection returns all items. Leave it out if the list shows a page or a selection. */
    readonly list?: boolean;
    /** `GET` of the item. */
    readonly read?: boolean;
    readonly update?: readonly ("PUT" | "PATCH")[];
    readonly delete?: boolean;
  };
  /** The path that restores a deleted item, with any verb, e.g. `/orders/{order_id}/restore`. */
  readonly restore?: string;
  /** The name of the parent resource, which its paths lead through. */
  readonly parent?: string;
}
