import { saysNothing } from "../../infer/resources/path-shape.ts";
import { singular, singularName, words } from "../../infer/resources/words.ts";

const ID_WORDS = new Set(["id", "uuid", "guid", "key", "token", "code", "slug", "number", "no", "ref", "reference", "handle", "sku"]);
/** Names of members that say only that something is inside. */
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

/** Returns the noun and the kind of id that a name says: `order` and `id` of `order_id`; an empty noun for `id`; no kind for `total`. */
export function idName(name: string): { readonly noun: string; readonly kind: string | undefined } {
  const all = words(name);
  const last = singular(all.at(-1) ?? "");
  return ID_WORDS.has(last) ? { noun: all.slice(0, -1).join("_"), kind: last } : { noun: "", kind: undefined };
}

/** Returns the noun of the innermost member that says what is inside; empty if none does. */
export function nounOfPath(path: readonly (string | number)[]): string {
  const names = path.slice(0, -1).filter((one): one is string => typeof one === "string" && !WRAPPERS.has(one.toLowerCase()));
  return names.length === 0 ? "" : singularName(names.at(-1)!);
}

/** Returns the noun of the last segment that is a word: `order` for `/v1/orders/17`. */
export function nounOfSegments(segments: readonly string[]): string {
  const word = segments.findLast((one) => one !== "" && !saysNothing(one) && /^[A-Za-z][A-Za-z_-]*$/.test(one));
  return word === undefined ? "" : singularName(word);
}

/** Returns `true` if a text is unlikely to be in two places by chance: a UUID, a long id with digits. Not a time. */
export const isOpaque = (text: string): boolean =>
  text.length >= 8 && text.length <= 200 && /\d/.test(text) && /^[\w.~+=:-]+$/.test(text) && !/^\d{4}-\d\d-\d\d(?:T|$)/.test(text);
