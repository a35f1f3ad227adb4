/**
 * A kind of object that an API stores, with its paths. Rules about created, deleted and nested objects need resources. `seqqa scaffold openapi`
 * writes resources to `resources.ts`.
 */
export interface Resource {
  /** The name of the resource, e.g. `order`. */
  readonly name: string;
  /** The path of the collection, e.g. `/orders`, or `/customers/{customer_id}/orders`. */
  readonly collection: string;
  /** The path of one item, which ends with a parameter, e.g. `/orders/{order_id}`. The item's path need not begin with the collection's path. */
  readonly item: string;
  /** The names of the properties that lead to the id within an item, from the outermost to the innermost. Default `["id"]`. */
  readonly id?: readonly string[];
  /** The names of the properties that lead to the items within the answer of the list call. Default: the answer itself is the list. */
  readonly items?: readonly string[];
  /** The names of the properties that lead to the item within the answers of create and read. Default: the answer itself is the item. */
  readonly body?: readonly string[];
  /** The operations that the API offers. */
  readonly can: {
    /** `true` if `POST` to the collection creates an item. */
    readonly create?: boolean;
    /** `true` if `GET` of the collection returns all items. Leave it out if the list shows only one page or a selection of the items. */
    readonly list?: boolean;
    /** `true` if `GET` of the item's path returns the item. */
    readonly read?: boolean;
    readonly update?: readonly ("PUT" | "PATCH")[];
    readonly delete?: boolean;
  };
  /** The path of the call that restores a deleted item, with any method, e.g. `/orders/{order_id}/restore`. */
  readonly restore?: string;
  /** The name of the parent resource. The id of the parent is a parameter in the paths of this resource. */
  readonly parent?: string;
}
