import { saysNothing } from "../../infer/resources/path-shape.ts";
import { singular, singularName, words } from "../../infer/resources/words.ts";

const ID_WORDS = new Set(["id", "uuid", "guid", "key", "token", "code", "slug", "number", "no", "ref", "reference", "handle", "sku"]);
const WRAPPERS = new Set([
  "data",
  "result",
  "results",
  "item",
  "items",
  "payload",
  "response",
  "body",
  "attributes",
  "list",
  "records",
  "content",
  "rows",
]);

/**
 * Splits a field name into the object and the id word: `order` and `id` for `order_id`. The object is empty for `id`. `kind` is `undefined` for a
 * name without an id word, such as `total`.
 */
export function idName(name: string): { readonly noun: string; readonly kind: string | undefined } {
  const all = words(name);
  const last = singular(all.at(-1) ?? "");
  return ID_WORDS.has(last) ? { noun: all.slice(0, -1).join("_"), kind: last } : { noun: "", kind: undefined };
}

/**
 * Returns the singular of the last name on a JSON path that is not the name of a wrapper: `order` for `data.orders[0].id`. Returns an empty text if
 * there is no such name.
 */
export function nounOfPath(path: readonly (string | number)[]): string {
  const names = path.slice(0, -1).filter((one): one is string => typeof one === "string" && !WRAPPERS.has(one.toLowerCase()));
  return names.length === 0 ? "" : singularName(names.at(-1)!);
}

/** Returns the singular of the last segment of a URL path that is a word: `order` for `/v1/orders/17`. */
export function nounOfSegments(segments: readonly string[]): string {
  const word = segments.findLast((one) => one !== "" && !saysNothing(one) && /^[A-Za-z][A-Za-z_-]*$/.test(one));
  return word === undefined ? "" : singularName(word);
}

/** Returns `true` if a text is unlikely to occur twice by accident, such as a UUID or a long id. Returns `false` for dates and times. */
export const isOpaque = (text: string): boolean =>
  text.length >= 8 && text.length <= 200 && /\d/.test(text) && /^[\w.~+=:-]+$/.test(text) && !/^\d{4}-\d\d-\d\d(?:T|$)/.test(text);
