import type { ApiClient } from "../model/http/client.ts";
import type { Values } from "../model/context/context.ts";
import type { Resource } from "../model/declare/resource.ts";
import { Rule, type CheckedStep, type Earlier } from "../model/declare/rule.ts";
import type { ApiResponse } from "../model/http/response.ts";
import { Severity } from "../model/declare/severity.ts";
import {
  idOf,
  isAbsent,
  isServed,
  isTombstone,
  itemIn,
  jsonOf,
  isObject,
  listIn,
  saidBefore,
  saysDeleted,
  saysMore,
  type Item,
} from "./answers/answer-content.ts";
import { outcomeOf } from "./answers/outcome.ts";
import { isItemId } from "../model/text/id-like.ts";
import { isDone, isFailure, isMissing, pathOf, shownPath, writesOf } from "./requests.ts";
import { isRevived } from "./resources/revival.ts";
import { collectionPath, ResourcePaths, type Kind, type Place } from "./resources/resource-paths.ts";
import { requireOptions } from "./rule-options.ts";

/** Options of {@link useAfterFree}. */
export interface UseAfterFreeOptions {
  /** The resources of the API. With resources, the rule knows which paths are items, and also requests lists. Default: none. */
  readonly resources?: readonly Resource[];
}

/**
 * Checks that a deleted item is gone until it is restored. Severity: HIGH. The rule is judged after a step whose last writing request was answered
 * 2xx (not 202) and is a `DELETE`, restores a deleted item, or writes to a missing item.
 *
 * Two terms. An item is *marked as deleted* if a field (`deleted`, `deleted_at`), or its `status` or `state`, says that it was deleted, removed,
 * trashed, discarded or destroyed. An item is *marked as ended* if a field or its `status` only says that it was closed, cancelled, archived, revoked
 * or the like. An end may have another cause than this deletion.
 *
 * Deletion (with `resources`, if the deleted path is an item). The row may still be in the store; the item is gone if the API no longer returns it.
 * - `GET` of the item, if it can be read, must not be answered 2xx, and not with a server failure (5xx except 501 and 503). 3xx and 4xx, especially
 *   404 and 410, say that the item is not available. A 2xx without content (no body, `null`, `[]`, `{}`, `{ "data": null }`) is not a finding.
 *   Neither is an item that is marked as deleted or ended, with one exception: an item that is only marked as ended is a finding if the step removed
 *   it from its list, and `GET` of the item has the same body as before the step.
 * - The lists of child resources, if they can be listed, have no items, except items that are marked as deleted or ended. A child resource names the
 *   resource as its `parent`, or has no `parent` and a collection directly below the item's path. Only lists are judged, not a child item at a path
 *   of its own, such as `/tasks/{id}`.
 * - The list of the item's own resource, if it can be listed, does not contain the item's id, unless the listed item is marked as deleted or ended.
 * - In both lists, an item that is only marked as ended is a finding, too, if it was marked so before the step, and the step made `GET` of the
 *   deleted item answer 404, 410 or without content. The mark then does not refer to this deletion.
 *
 * If the item was marked as ended before the step, and the step changed neither `GET` of the item nor the list, the rule holds: if `DELETE` cancels
 * items in an API, a repeated `DELETE` changes nothing. If seqqa cannot restore the state before the step, every item that is marked as ended is
 * accepted.
 *
 * Restoration (with `resources` that have a `restore` path, if the request to that path is answered 2xx, not 202). The item is available again: `GET`
 * of the item, if it can be read, is not answered 404, 410 or 5xx (except 501 and 503), and not 2xx with an item that is still marked as deleted.
 * 401, 403 and every other answer prove nothing.
 *
 * Write (with `resources` that are created by a `POST` to their collection, and can be read and deleted). A write to an item, or below it, that is
 * answered 2xx (not 201 or 202) must not bring a deleted item back. It is a finding if `GET` of the item is answered 404, 410 or 2xx without content
 * before the step, and 2xx with an item after it, and the step added a row to the table of the resource, or cleared a deletion mark in it. Other
 * writes only make an existing item visible: a user joins a group, or an article is published. If the stores have no table with the name of the
 * resource, it is a finding only if the write is to the path of the item itself, or if `GET` of the item was answered 410.
 *
 * Without `resources`, the rule cannot distinguish an item from a setting that a `DELETE` resets, so the rule checks less. If the step changed
 * something, `GET` of the deleted URL must not be answered 2xx with exactly the same non-empty body as before the step. This `GET` must not be
 * answered with a server failure either.
 *
 * This is the use-after-free rule of Atlidakis, Godefroid and Polishchuk, "Checking Security Properties of Cloud Service REST APIs", ICST 2020; RFC
 * 9110, 9.3.5.
 * @throws SeqqaError `RULE_INVALID` if `resources` is invalid
 */
export function useAfterFree<C extends object = Values, A = ApiClient>(options: UseAfterFreeOptions = {}): Rule<C, A> {
  requireOptions<keyof UseAfterFreeOptions>("useAfterFree", options, { resources: true });
  const { resources } = options;
  const paths = resources === undefined ? undefined : new ResourcePaths("useAfterFree", resources);
  return new Rule<C, A>({
    name: "use_after_free",
    message: "a deleted item is still there",
    severity: Severity.HIGH,
    writes: paths === undefined,
    judge: async (_world, step) => {
      const answer = writesOf(step.answers).at(-1);
      if (answer === undefined || !isDone(answer)) return true;
      const path = pathOf(step.client, answer);
      if (path === undefined) return true;
      const restored = paths?.restored(path);
      if (restored !== undefined) return livesAgain(step, answer, restored);
      if (answer.request.method !== "DELETE") {
        const item = paths?.itemOf(path);
        return item === undefined || staysGone(step, answer, path, item);
      }
      // `{ "deleted": 0 }` says that the request deleted nothing.
      if (!step.changed && outcomeOf(answer) === "nothing") return true;
      if (paths === undefined) return sameAsBefore(step, answer, path);
      const place = paths.place(path);
      return place?.of !== "item" || isGone(step, answer, path, place, paths);
    },
  });
}

async function sameAsBefore(
  { action, changed, client, explain }: CheckedStep,
  deleted: ApiResponse,
  path: string,
): Promise<boolean | Earlier> {
  if (!changed) return true;
  const now = await client.get(path);
  if (isFailure(now.statusCode))
    return explain(`${action.name}: ${said(deleted, path)}, but a GET of the same path was then answered ${now.statusCode}`);
  if (!isServed(now) || (await isForAnyPath(client, path, now))) return true;
  return {
    earlier: async (begun) => {
      const before = await client.get(path);
      if (!before.ok || before.text !== now.text) return true;
      return begun.explain(
        `${action.name}: ${said(deleted, path)}, but a GET of the same path was then answered ${now.statusCode} with the same content as before`,
      );
    },
  };
}

async function isGone(
  { action, canGoBack, client, explain }: CheckedStep,
  deleted: ApiResponse,
  path: string,
  { kind, segments }: Place,
  paths: ResourcePaths,
): Promise<boolean | Earlier> {
  const { resource, item, collection } = kind;
  const what = `${action.name}: DELETE ${item.text} was answered ${deleted.statusCode}`;
  const own = resource.can.read === true ? await client.get(path) : undefined;
  const served = `${what}, but GET ${item.text} of the deleted item was then answered ${own?.statusCode}`;
  if (own !== undefined && (isFailure(own.statusCode) || (isThere(own, resource) && !(await isForAnyPath(client, path, own)))))
    return explain(served);
  const isMissed = own !== undefined && isAbsent(own);
  const ended: Ended[] = [];
  for (const child of paths.childrenOf(kind)) {
    // A list is checked only if its path begins with the path of the deleted item and is longer.
    const leads = child.collection.length > segments.length && child.resource.can.list === true;
    const below = leads ? collectionPath(child, segments) : undefined;
    if (below === undefined) continue;
    const now = await client.get(below);
    const items = listIn(now, child.resource) ?? [];
    const left = items.filter((one) => !isTombstone(one)).length;
    const says = (count: number): string =>
      `${what}, but GET ${child.collection.text} below the deleted item was then answered ${now.statusCode} with ${count} ${count === 1 ? "item" : "items"}`;
    if (left > 0) return explain(says(left));
    if (isMissed) ended.push({ path: below, kind: child, items, says });
  }
  const all = resource.can.list === true ? collectionPath(kind, segments) : undefined;
  if (all !== undefined) {
    const isItem = (one: Item): boolean => idOf(one, resource) === segments.at(-1);
    const now = await client.get(all);
    const items = listIn(now, resource);
    const listed = items?.filter(isItem) ?? [];
    const says = (): string => `${what}, but GET ${collection.text} then still lists the deleted item`;
    if (listed.some((one) => !isTombstone(one))) return explain(says());
    if (isMissed) ended.push({ path: all, kind, items: listed, says });
    const isUnlisted = items !== undefined && listed.length === 0 && !saysMore(now, items);
    if (canGoBack && isUnlisted && own !== undefined && isThere(own, resource, saysDeleted)) {
      // The step removed an item that is marked as ended from the list. A GET of the item must then not have the same answer as before.
      return {
        earlier: async (begun) => {
          if ((await client.get(path)).text !== own.text) return true;
          const wasListed = listIn(await client.get(all), resource)?.some(isItem) ?? false;
          return !wasListed || begun.explain(served);
        },
      };
    }
  }
  if (!canGoBack) return true;
  const left = ended.filter(({ items }) => items.some((one) => !saysDeleted(one)));
  return left.length === 0 || { earlier: async (begun) => isAbsent(await client.get(path)) || endedByIt(left, client, begun.explain) };
}

interface Ended {
  readonly path: string;
  readonly kind: Kind;
  readonly items: readonly Item[];
  readonly says: (count: number) => string;
}

/**
 * Reports listed items that were already marked as ended before the step, because the mark does not refer to this deletion. Items that the step
 * marked are correct. Runs in the state before the step.
 */
async function endedByIt(ended: readonly Ended[], client: ApiClient, explain: CheckedStep["explain"]): Promise<boolean> {
  for (const { path, kind, items, says } of ended) {
    const before = new Map(listIn(await client.get(path), kind.resource)?.map((one) => [idOf(one, kind.resource), one]));
    const left = items.filter((one) => {
      const id = idOf(one, kind.resource);
      return id !== undefined && !saysDeleted(one) && saidBefore(one, before.get(id));
    });
    if (left.length > 0) return explain(says(left.length));
  }
  return true;
}

async function livesAgain(
  { action, client, explain }: CheckedStep,
  restored: ApiResponse,
  { kind: { resource, item, restore }, path }: NonNullable<ReturnType<ResourcePaths["restored"]>>,
): Promise<boolean> {
  if (resource.can.read !== true) return true;
  const now = await client.get(path);
  const what = `${action.name}: ${restored.request.method} ${restore!.text} was answered ${restored.statusCode}, but GET ${item.text} of the restored item was then answered ${now.statusCode}`;
  if (isMissing(now.statusCode)) return explain(what);
  const one = now.ok ? itemIn(now, resource) : undefined;
  return one === undefined || !saysDeleted(one) || explain(`${what} with an item that is still marked as deleted`);
}

/**
 * Checks that a write to a deleted item does not bring it back. An item that could not be read before the step may also exist, and be served only to
 * its members or after its publication. The stores show which of the two is the case. If they do not show it, only a write to the path of the item
 * itself, or to an item that was answered 410, is judged.
 */
async function staysGone(
  { action, changed, canGoBack, client, stores: storesOf }: CheckedStep,
  written: ApiResponse,
  path: string,
  { kind, path: itemPath }: NonNullable<ReturnType<ResourcePaths["itemOf"]>>,
): Promise<boolean | Earlier> {
  const { resource, item } = kind;
  const isMadeByPost = resource.can.create === true && written.statusCode !== 201;
  const canBeGone = resource.can.read === true && resource.can.delete === true;
  if (!changed || !canGoBack || !isMadeByPost || !canBeGone) return true;
  const now = await client.get(itemPath);
  if (!isThere(now, resource)) return true;
  const stores = await storesOf();
  return {
    earlier: async (begun) => {
      const before = await client.get(itemPath);
      if (!isAbsent(before)) return true;
      const was = await begun.stores();
      const isRevival = was === undefined || stores === undefined ? undefined : isRevived(was, stores, kind);
      if (isRevival === false || (isRevival === undefined && path !== itemPath && before.statusCode !== 410)) return true;
      const what = `${action.name}: ${written.request.method} ${shownPath(path)} was answered ${written.statusCode}`;
      return begun.explain(
        `${what}; GET ${item.text} of the item was answered ${before.statusCode}${before.ok ? " without the item" : ""} before this request and ${now.statusCode} after it`,
      );
    },
  };
}

/** Returns `true` if an answer contains the item, and `saysGone` is `false` for it. Default: an item that is marked as deleted or ended is gone. */
function isThere(answer: ApiResponse, resource: Resource, saysGone: (item: Item) => boolean = isTombstone): boolean {
  if (!isServed(answer)) return false;
  const whole = jsonOf(answer);
  return ![itemIn(answer, resource), whole].some((one) => isObject(one) && saysGone(one));
}

/**
 * Returns `true` if the target gives the same answer for an item that does not exist, so that the answer is no item. Servers of single-page apps answer
 * every path that they do not know with the page of the app.
 */
async function isForAnyPath(client: ApiClient, path: string, answer: ApiResponse): Promise<boolean> {
  const last = path.slice(path.lastIndexOf("/") + 1);
  const missing = /^\d+$/.test(last) ? "987654321" : isItemId(last) ? "5e99a000-0000-4000-8000-000000000000" : `${last}-missing`;
  const other = await client.get(`${path.slice(0, path.lastIndexOf("/"))}/${missing}`);
  return other.ok && other.text === answer.text;
}

const said = ({ statusCode }: ApiResponse, path: string): string => `DELETE ${shownPath(path)} was answered ${statusCode}`;
