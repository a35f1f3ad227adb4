import type { Resource } from "../../model/declare/resource.ts";
import { isNothing } from "../../model/http/refusal.ts";
import type { ApiResponse } from "../../model/http/response.ts";
import { isGranted } from "../requests.ts";

export type Item = Readonly<Record<string, unknown>>;

export function jsonOf(answer: ApiResponse): unknown {
  try {
    return answer.json();
  } catch {
    return undefined;
  }
}

/** Returns the item in the answer to a create or read call; `undefined` if the answer contains no item. */
export function itemIn(answer: ApiResponse, { body = [] }: Resource): Item | undefined {
  const found = at(jsonOf(answer), body);
  return isObject(found) ? found : undefined;
}

/** Returns the id of an item as text, in the form in which a URL path contains the id. */
export function idOf(item: Item | undefined, { id = ["id"] }: Resource): string | undefined {
  const found = at(item, id);
  // Return no id for a number that is not a safe integer: JSON.parse has rounded such a number, so it is not the id that the API sent.
  if (typeof found === "number") return Number.isSafeInteger(found) ? String(found) : undefined;
  return typeof found === "string" && found !== "" ? found : undefined;
}

/**
 * Returns the items of a list. Returns `undefined` if the answer is not a list, or if its status (206) or `Link` header says that there are more
 * items.
 */
export function listIn(answer: ApiResponse, { items = [] }: Resource): readonly Item[] | undefined {
  if (!answer.ok || answer.statusCode === 206 || /\brel="?[^",;]*\bnext\b/i.test(answer.headers["link"] ?? "")) return undefined;
  const found = at(jsonOf(answer), items);
  return Array.isArray(found) && found.every(isObject) ? found : undefined;
}

/** The names of fields that say if a list has more items or pages than the answer contains, in lower case without `_`, `-`, `.` and `@`. */
const MORE = new Set(["hasmore", "hasnext", "hasnextpage", "more", "truncated", "istruncated"]);
const NEXT = new Set(
  "next nextpage nextcursor nextpagetoken nexttoken continuationtoken nextlink nexturl nextpageurl odatanextlink".split(" "),
);
const TOTAL = new Set("total totalcount totalitems totalresults totalelements totalrecords count odatacount xtotalcount xtotal".split(" "));
const PAGES = new Set("totalpages pages pagecount lastpage xtotalpages".split(" "));
const LIMIT = new Set("limit pagesize perpage".split(" "));
const DEEPEST = 3;

/**
 * Returns `true` if an answer with a list says that the list has more items than the answer: by `has_more`, a cursor or link of the next page, a
 * greater total, several pages, or a page limit that is equal to the number of items.
 */
export function saysMore(answer: ApiResponse, items: readonly Item[]): boolean {
  const fields = [...Object.entries(answer.headers), ...fieldsBeside(jsonOf(answer), 0)];
  return fields.some(([name, value]) => {
    const plain = name.toLowerCase().replaceAll(/[_\-.@]/g, "");
    const number = typeof value === "string" && /^\d+$/.test(value) ? Number(value) : value;
    if (MORE.has(plain)) return value === true;
    if (NEXT.has(plain)) return Boolean(value);
    if (typeof number !== "number") return false;
    if (TOTAL.has(plain)) return number > items.length;
    return PAGES.has(plain) ? number > 1 : LIMIT.has(plain) && number > 0 && number <= items.length;
  });
}

/** Returns the fields of an object and of the objects inside it. Objects in lists are left out. */
function fieldsBeside(value: unknown, depth: number): readonly (readonly [name: string, value: unknown])[] {
  if (!isObject(value) || depth === DEEPEST) return [];
  return Object.entries(value).flatMap(([name, one]) => [[name, one] as const, ...fieldsBeside(one, depth + 1)]);
}

/**
 * Returns `true` for a 2xx answer with content that does not refuse the request. Some APIs answer a missing item with 200 and without content: no body,
 * `null`, `[]`, `{}`, `{ "data": null }`.
 */
export function isServed(answer: ApiResponse): boolean {
  return isGranted(answer) && !isNothing(contentOf(answer));
}

/** Returns `true` for an answer to a read that says that the item is missing: 404, 410, or 2xx without content, see {@link isServed}. */
export function isAbsent(answer: ApiResponse): boolean {
  return answer.ok ? !isServed(answer) : answer.statusCode === 404 || answer.statusCode === 410;
}

/** Returns the body of an answer: the parsed value of a JSON body, and the text of any other body. */
export function contentOf(answer: ApiResponse): unknown {
  const json = jsonOf(answer);
  return json === undefined ? answer.text.trim() : json;
}

const GONE =
  /^(?:is)?(?:deleted|removed|trashed|discarded|erased|purged|archived|revoked|cancell?ed|deactivated|terminated|destroyed)(?:at|on|time|date|timestamp)?$/;
const STATE = /^(?:status|state)$/;
const ENDED = /delet|remov|trash|discard|archiv|revok|cancel|inactive|deactivat|terminat|destroy|closed|expired/i;

const DELETED = /^(?:is)?(?:deleted|removed|trashed|discarded|erased|purged|destroyed)(?:at|on|time|date|timestamp)?$|^deletiontimestamp$/;

/** Returns `true` if an item says that it was deleted. Words such as closed or cancelled do not count, because such items still exist. */
export function saysDeleted(item: Item): boolean {
  return Object.entries(item).some(([key, value]) => {
    const name = key.toLowerCase().replace(/[_-]/g, "");
    return DELETED.test(name)
      ? Boolean(value)
      : STATE.test(name) && typeof value === "string" && /delet|remov|trash|discard|destroy/i.test(value);
  });
}

/**
 * Returns `true` if an item says that it was deleted or has ended: `deleted: true`, `deletedAt: "..."`, `deletionTimestamp`, `status: "cancelled"`.
 */
export function isTombstone(item: Item): boolean {
  return tombstoneFields(item).length > 0;
}

/** Returns `true` if all fields by which an item says that it was deleted or has ended had the same values before the step. */
export function saidBefore(item: Item, before: Item | undefined): boolean {
  return before !== undefined && tombstoneFields(item).every(([key, value]) => JSON.stringify(before[key]) === JSON.stringify(value));
}

function tombstoneFields(item: Item): readonly (readonly [key: string, value: unknown])[] {
  return Object.entries(item).filter(([key, value]) => {
    const name = key.toLowerCase().replace(/[_-]/g, "");
    if (GONE.test(name) || name === "deletiontimestamp") return Boolean(value);
    if (/^(?:is)?active$/.test(name)) return value === false || value === 0;
    return STATE.test(name) && typeof value === "string" && ENDED.test(value);
  });
}

export function isObject(value: unknown): value is Item {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function at(value: unknown, path: readonly string[]): unknown {
  let found = value;
  for (const key of path) {
    if (!isObject(found) || !Object.hasOwn(found, key)) return undefined;
    found = found[key];
  }
  return found;
}
