import type { ApiClient } from "../model/client.ts";
import type { Values } from "../model/context.ts";
import type { Resource } from "../model/resource.ts";
import { Rule, type CheckedStep, type Earlier } from "../model/rule.ts";
import type { ApiResponse } from "../model/response.ts";
import { Severity } from "../model/severity.ts";
import { idOf, isEmpty, isTombstone, itemIn, jsonOf, isObject, listIn } from "./answer-content.ts";
import { isDone, isFailure, pathOf, shownPath, writesOf } from "./requests.ts";
import { collectionPath, ResourcePaths, type Place } from "./resource-paths.ts";

export interface UseAfterFreeOptions {
  /** What the API keeps. With them it is known what is an item, and lists are asked, too. */
  readonly resources?: readonly Resource[];
}

/**
 * What was deleted is gone. Judged after a step whose last writing request is a `DELETE` answered 2xx (not 202). HIGH.
 *
 * With `resources`, where the deleted path is that of an item:
 * - `GET` of it, if the item can be read, is not answered 2xx, and not with a failure of the server (5xx but 501 and 503). 3xx and 4xx say that it is
 *   not to be had. A 2xx that brings nothing (no body, `null`, `[]`, `{}`), or an item that says itself that it is gone (a field such as `deleted`, `deleted_at`,
 *   `archived`, with a value; a `status` or `state` such as `cancelled`), is no finding;
 * - the lists of the kinds below it that can be listed are not answered 2xx with items that do not say so;
 * - the list of its own kind, if it can be listed, does not have its id, unless with such an item.
 *
 * Without `resources` nobody knows what is an item and what a setting that a `DELETE` sets back, so less is said: `GET` of the deleted URL is not
 * answered 2xx with the very body that it was answered with in the state that the step began in, when the step changed something and the body is not empty.
 *
 * The use-after-free rule of Atlidakis, Godefroid and Polishchuk, "Checking Security Properties of Cloud Service REST APIs", ICST 2020;
 * RFC 9110, 9.3.5.
 * @throws SeqqaError `RULE_INVALID`
 */
export function useAfterFree<C extends object = Values, A = ApiClient>({ resources }: UseAfterFreeOptions = {}): Rule<C, A> {
  const paths = resources === undefined ? undefined : new ResourcePaths("useAfterFree", resources);
  return new Rule<C, A>({
    name: "use_after_free",
    message: "what was deleted is still there",
    severity: Severity.HIGH,
    writes: paths === undefined,
    judge: async (_world, step) => {
      const answer = writesOf(step.answers).at(-1);
      if (answer === undefined || answer.request.method !== "DELETE" || !isDone(answer)) return true;
      const path = pathOf(step.client, answer);
      if (path === undefined) return true;
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
  if (isFailure(now.statusCode)) return explain(`${action.name}: ${said(deleted, path)}, GET of it then ${now.statusCode}`);
  if (!now.ok || isEmpty(now)) return true;
  return {
    earlier: async (begun) => {
      const before = await client.get(path);
      if (!before.ok || before.text !== now.text) return true;
      return begun.explain(`${action.name}: ${said(deleted, path)}, GET of it then ${now.statusCode} with the same content as before`);
    },
  };
}

async function isGone(
  { action, client, explain }: CheckedStep,
  deleted: ApiResponse,
  path: string,
  { kind, segments }: Place,
  paths: ResourcePaths,
): Promise<boolean> {
  const { resource, item, collection } = kind;
  const what = `${action.name}: DELETE ${item.text} was answered ${deleted.statusCode}`;
  if (resource.can.read === true) {
    const now = await client.get(path);
    if (isFailure(now.statusCode) || isServed(now, resource)) return explain(`${what}, GET ${item.text} of it then ${now.statusCode}`);
  }
  for (const child of paths.childrenOf(kind)) {
    // A list that does not lead through the item is not below it.
    const leads = child.collection.length > segments.length && child.resource.can.list === true;
    const below = leads ? collectionPath(child, segments) : undefined;
    if (below === undefined) continue;
    const now = await client.get(below);
    const left = listIn(now, child.resource)?.filter((one) => !isTombstone(one)).length ?? 0;
    if (left > 0) return explain(`${what}, GET ${child.collection.text} below it then ${now.statusCode} with ${left} of them`);
  }
  const all = resource.can.list === true ? collectionPath(kind, segments) : undefined;
  if (all === undefined) return true;
  const now = await client.get(all);
  const listed = listIn(now, resource)?.some((one) => idOf(one, resource) === segments.at(-1) && !isTombstone(one)) ?? false;
  return !listed || explain(`${what}, GET ${collection.text} then still has it`);
}

function isServed(answer: ApiResponse, resource: Resource): boolean {
  if (!answer.ok || isEmpty(answer)) return false;
  const whole = jsonOf(answer);
  return ![itemIn(answer, resource), whole].some((one) => isObject(one) && isTombstone(one));
}

const said = ({ statusCode }: ApiResponse, path: string): string => `DELETE ${shownPath(path)} was answered ${statusCode}`;
