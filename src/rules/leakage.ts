import type { ApiClient } from "../model/http/client.ts";
import type { Values } from "../model/context/context.ts";
import type { Resource } from "../model/declare/resource.ts";
import { Rule, type CheckedStep, type StoresView } from "../model/declare/rule.ts";
import type { ApiResponse } from "../model/http/response.ts";
import { Severity } from "../model/declare/severity.ts";
import { idOf, isObject, isServed, listIn } from "./answers/answer-content.ts";
import { requestTo } from "./resources/created.ts";
import { pathOf, writesOf } from "./requests.ts";
import { itemPath, ResourcePaths, type Place } from "./resources/resource-paths.ts";
import { storeChanges } from "./store-changes.ts";
import { requireOptions } from "./rule-options.ts";

/** Options of {@link leakage}. */
export interface LeakageOptions {
  /** The resources of the API, with the collections in which items are created. */
  readonly resources: readonly Resource[];
}

/** The data of the API that is observed before and after a refused create: the ids in the list of the collection, and whether the item exists. */
interface Seen {
  /** `true` if the item exists; `undefined` if that is not known. */
  readonly there: boolean | undefined;
  readonly ids: readonly string[] | undefined;
}

/**
 * Checks that a refused create leaves nothing behind. Severity: HIGH. The rule is judged after a step that changed something and whose only writing
 * request was refused with 4xx. The request must be a `POST` to a collection in which items can be created, or a `PUT` to an item. The status 408 is
 * left out, because the request may not have arrived completely. Compared with the state before the step:
 * - The list call of the collection returns no additional ids. Checked only if the list call returns all items.
 * - If the item did not exist before, it still does not exist: `GET` of the item must not be answered 2xx with content. The item is at the URL of the
 *   `PUT`. For a `POST`, it is the item whose id the JSON body contains; checked only if items can be read.
 * - No table of the stores has more rows. For a `PUT`, this is checked only if it is known that the item did not exist before.
 *
 * Tables in which the target logs refusals belong in `ignore`. `rejectedMeansUnchanged` finds these violations and others, but does not know which
 * item the request tried to create. This rule reports how users of the API notice the violation.
 *
 * This is the leakage rule of Atlidakis, Godefroid and Polishchuk, "Checking Security Properties of Cloud Service REST APIs", ICST 2020.
 * @throws SeqqaError `RULE_INVALID` if `resources` is invalid
 */
export function leakage<C extends object = Values, A = ApiClient>(options: LeakageOptions): Rule<C, A> {
  requireOptions<keyof LeakageOptions>("leakage", options, { resources: true });
  const { resources } = options;
  const paths = new ResourcePaths("leakage", resources);
  return new Rule<C, A>({
    name: "leakage",
    message: "a request to create something was refused, but it changed data",
    severity: Severity.HIGH,
    writes: true,
    judge: async (_world, step) => {
      const { action, answers, changed, client } = step;
      const [answer, ...others] = writesOf(answers);
      if (!changed || answer === undefined || others.length > 0 || !isRefused(answer)) return true;
      const path = pathOf(client, answer);
      const place = path === undefined ? undefined : paths.place(path);
      if (path === undefined || place === undefined || !creates(place, answer)) return true;
      const item = place.of === "item" ? path : sentItem(place, answer);
      const after = await look(client, place, item);
      const stores = await step.stores();
      return {
        earlier: async (begun) => {
          const before = await look(client, place, item);
          const listed = difference(before, after);
          const { left, fields } = listed === undefined ? await rowsLeft(begun, stores, place, before) : { left: listed };
          return (
            left === undefined ||
            begun.explain(`${action.name}: ${requestTo(place, answer)} was refused with ${answer.statusCode}, and ${left}`, { fields })
          );
        },
      };
    },
  });
}

const isRefused = ({ statusCode }: ApiResponse): boolean => statusCode >= 400 && statusCode < 500 && statusCode !== 408;

function creates({ of, kind }: Place, { request }: ApiResponse): boolean {
  return of === "item" ? request.method === "PUT" : request.method === "POST" && kind.resource.can.create === true;
}

/** Returns the path of the item that a `POST` tried to create, if the request body contains its id; else `undefined`. */
function sentItem({ kind, parameters }: Place, { request }: ApiResponse): string | undefined {
  let body: unknown;
  try {
    body = JSON.parse(request.body ?? "");
  } catch {
    return undefined;
  }
  const id = isObject(body) ? idOf(body, kind.resource) : undefined;
  return id === undefined ? undefined : itemPath(kind, parameters, id);
}

async function look(client: ApiClient, { of, kind, segments }: Place, item: string | undefined): Promise<Seen> {
  const { resource, collection } = kind;
  const reads = item !== undefined && resource.can.read === true;
  const there = reads ? isServed(await client.get(item)) : undefined;
  const bound = of === "collection" ? segments : segments.slice(0, -1);
  const parameters = resource.can.list === true ? collection.match(bound) : undefined;
  const list = parameters === undefined ? undefined : collection.filled(parameters);
  const items = list === undefined ? undefined : listIn(await client.get(list), resource);
  return { there, ids: items?.flatMap((one) => idOf(one, resource) ?? []) };
}

function difference(before: Seen, after: Seen): string | undefined {
  if (after.there === true && before.there === false) return "the item exists now";
  if (before.ids === undefined || after.ids === undefined) return undefined;
  // Subtract the number of missing ids from the number of new ids: replacing an item by one with another id does not make the list longer.
  const more = after.ids.filter((id) => !before.ids!.includes(id)).length - before.ids.filter((id) => !after.ids!.includes(id)).length;
  return more <= 0 ? undefined : `the list has ${more} more ${more === 1 ? "item" : "items"}`;
}

async function rowsLeft(
  begun: Pick<CheckedStep, "stores">,
  after: StoresView | undefined,
  { of }: Place,
  { there }: Seen,
): Promise<{ readonly left?: string; readonly fields?: readonly string[] }> {
  if (after === undefined || (of === "item" && there !== false)) return {};
  const before = await begun.stores();
  if (before === undefined || before.same(after)) return {};
  const grown = [...after.tables].some(([table, rows]) => count(rows) > count(before.tables.get(table) ?? new Map()));
  return grown ? { left: `the stores have more rows: ${storeChanges(before, after)}`, fields: before.changedFields(after) } : {};
}

function count(rows: ReadonlyMap<string, number>): number {
  let sum = 0;
  for (const number of rows.values()) sum += number;
  return sum;
}
