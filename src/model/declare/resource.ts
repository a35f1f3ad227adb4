/**
 * A kind of thing that an API keeps, and under which paths: what rules about created, deleted and nested things need to know. `seqqa scaffold openapi` writes them to `resources.ts`.
 */
export interface Resource {
  /** E.g. `order`. */
  readonly name: string;
  /** The path of all of them, e.g. `/orders`, or `/customers/{customer_id}/orders`. */
  readonly collection: string;
  /** The path of one: the collection's, or another one, and a parameter at its end, e.g. `/orders/{order_id}`. */
  readonly item: string;
  /** Where the id stands in an item; default `["id"]`. */
  readonly id?: readonly string[];
  /** Where the items stand in the answer to the list; default: the answer is the list. */
  readonly items?: readonly string[];
  /** Where an item stands in the answer to create and read; default: the answer is the item. */
  readonly body?: readonly string[];
  /** What the API offers. */
  readonly can: {
    /** `POST` to the collection. */
    readonly create?: boolean;
    /** `GET` of the collection gives them all; not of lists that show a page or a selection. */
    readonly list?: boolean;
    /** `GET` of the item. */
    readonly read?: boolean;
    readonly update?: readonly ("PUT" | "PATCH")[];
    readonly delete?: boolean;
  };
  /** The path that brings a deleted one back, by whichever verb, e.g. `/orders/{order_id}/restore`. */
  readonly restore?: string;
  /** The name of the resource that its paths lead through. */
  readonly parent?: string;
}
