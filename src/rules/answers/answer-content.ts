import type { Resource } from "../../model/declare/resource.ts";
import type { ApiResponse } from "../../model/http/response.ts";

export type Item = Readonly<Record<string, unknown>>;

export function jsonOf(answer: ApiResponse): unknown {
  try {
    return answer.json();
  } catch {
    return undefined;
  }
}

/** Returns the item in the answer to a create or read call; `undefined` if there is none. */
export function itemIn(answer: ApiResponse, { body = [] }: Resource): Item | undefined {
  const found = at(jsonOf(answer), body);
  return isObject(found) ? found : undefined;
}

/** Returns the id of an item in the form that paths contain. */
export function idOf(item: Item | undefined, { id = ["id"] }: Resource): string | undefined {
  const found = at(item, id);
  // JSON.parse rounds a number that is not a safe integer, so the parsed number is not the id that the API sent.
  if (typeof found === "number") return Number.isSafeInteger(found) ? String(found) : undefined;
  return typeof found === "string" && found !== "" ? found : undefined;
}

/** Returns the items of a list; `undefined` if the answer is not a list, or says that there are more items. */
export function listIn(answer: ApiResponse, { items = [] }: Resource): readonly Item[] | undefined {
  if (!answer.ok || answer.statusCode === 206 || /\brel="?[^",;]*\bnext\b/i.test(answer.headers["link"] ?? "")) return undefined;
  const found = at(jsonOf(answer), items);
  return Array.isArray(found) && found.every(isObject) ? found : undefined;
}

/** Returns `true` for a 2xx answer without content: no body, `null`, `[]` or `{}`. */
export function isEmpty(answer: ApiResponse): boolean {
  if (answer.text === "") return true;
  const body = jsonOf(answer);
  return body === null || (typeof body === "object" && Object.keys(body).length === 0);
}

const GONE = /^(?:is)?(?:deleted|removed|archived|revoked|cancell?ed|deactivated|terminated|destroyed)(?:at|on|time|date|timestamp)?$/;
const STATE = /^(?:status|state)$/;
const ENDED = /delet|remov|archiv|revok|cancel|inactive|deactivat|terminat|destroy|closed|expired/i;

const DELETED = /^(?:is)?(?:deleted|removed|destroyed)(?:at|on|time|date|timestamp)?$|^deletiontimestamp$/;

/** Returns `true` if an item says that it was deleted. Words such as closed or cancelled do not count, because such items still exist. */
export function saysDeleted(item: Item): boolean {
  return Object.entries(item).some(([key, value]) => {
    const name = key.toLowerCase().replace(/[_-]/g, "");
    return DELETED.test(name) ? Boolean(value) : STATE.test(name) && typeof value === "string" && /delet|remov|destroy/i.test(value);
  });
}

/**
 * Returns `true` if an item says that it was deleted or has ended: `deleted: true`, `deletedAt: "..."`, `deletionTimestamp`, `status: "cancelled"`.
 */
export function isTombstone(item: Item): boolean {
  return Object.entries(item).some(([key, value]) => {
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
