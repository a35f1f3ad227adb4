import type { ApiClient } from "../model/http/client.ts";
import type { Values } from "../model/context/context.ts";
import type { Resource } from "../model/declare/resource.ts";
import { Rule, type CheckedStep } from "../model/declare/rule.ts";
import { Severity } from "../model/declare/severity.ts";
import { contradictions, isSteady } from "./answers/agreement.ts";
import { idOf, isServed, isTombstone, itemIn, listIn, saidBefore, saysDeleted, saysMore, type Item } from "./answers/answer-content.ts";
import { createdBy } from "./resources/created.ts";
import { isDone, isMissing, pathOf, writesOf } from "./requests.ts";
import { collectionPath, itemPath, ResourcePaths, type Kind } from "./resources/resource-paths.ts";
import { segmentsOf } from "./resources/path-template.ts";
import { requireOptions } from "./rule-options.ts";

const LOOKED_AT = 20;
/** `NAMED`: maximum number of fields that a message names. `LONGEST`: maximum length of a field name in a message, in characters. */
const NAMED = 3;
const LONGEST = 40;

/** Options of {@link listAgreesWithItem}. */
export interface ListAgreesWithItemOptions {
  /** The resources of the API. Only resources that can be listed and read are judged. */
  readonly resources: readonly Resource[];
}

interface Listed {
  readonly kind: Kind;
  readonly path: string;
  readonly items: readonly Item[];
  /** `true` if the answer says that there are more items. */
  readonly isPart: boolean;
}

/** An item that a list contains and marks as ended, but whose own `GET` says that it is missing. */
interface Ended {
  readonly list: Listed;
  readonly item: Item;
  readonly path: string;
  readonly says: string;
}

/**
 * Checks that a list and its items agree. Severity: MEDIUM. The rule is judged after a step that changed something and had a writing request answered
 * 2xx (not 202). A resource is judged if it can be read and listed (all items, not a page). The path of the list has no parameters, or the path of a
 * writing request contains their values. If the list is answered 2xx:
 * - Each of the first 20 items can be read: `GET` is not answered 404, 410 or 5xx (except 501 and 503), unless the list says that the item was
 *   deleted or has ended (`closed`, `cancelled`, `archived`). It is nevertheless a finding if the list said before the step that the item has ended,
 *   and the item could still be read then: something else in the step made the item disappear. This case is checked only if seqqa can restore the
 *   stores.
 * - The fields of an item in the list and in its own answer do not contradict each other. Numbers, texts and booleans are equal. Objects agree in the
 *   fields that both have. Lists of equal length contain the same plain values, in any order, and their objects with the same `id` agree. Some
 *   differences are allowed: `null`, an empty text, another type, a list of another length, links, a less exact time, and a shortened text (it ends
 *   with dots, or has at least 20 characters). If fields differ, the list and the item are read a second time. A field that changes between the two
 *   reads, such as a time or a countdown, is left out.
 * - An item that the last writing request created, and that can be read, is in the list. Updated items are not checked, because a list may leave them
 *   out by design. No item is checked if the answer says that the list has more items (`has_more`, `next`, a greater `total`).
 *
 * The rule sends one request for each list and each item, after each step that changes something. The use-after-free and leakage rules of Atlidakis,
 * Godefroid and Polishchuk, "Checking Security Properties of Cloud Service REST APIs", ICST 2020, do not check for wrong fields.
 * @throws SeqqaError `RULE_INVALID` if `resources` is invalid
 */
export function listAgreesWithItem<C extends object = Values, A = ApiClient>(options: ListAgreesWithItemOptions): Rule<C, A> {
  requireOptions<keyof ListAgreesWithItemOptions>("listAgreesWithItem", options, { resources: true });
  const { resources } = options;
  const paths = new ResourcePaths("listAgreesWithItem", resources);
  return new Rule<C, A>({
    name: "list_agrees_with_item",
    message: "a list and its items contradict each other",
    severity: Severity.MEDIUM,
    judge: async (_world, step) => {
      if (!step.changed) return true;
      const ended: Ended[] = [];
      for (const [path, kind] of listsOf(step, paths)) {
        const answer = await step.client.get(path);
        const items = listIn(answer, kind.resource);
        const wrong =
          items === undefined ? undefined : await whatIsWrong({ kind, path, items, isPart: saysMore(answer, items) }, step, paths, ended);
        if (wrong !== undefined) return step.explain(`${step.action.name}: ${wrong}`);
      }
      if (ended.length === 0 || !step.canGoBack) return true;
      return { earlier: async ({ explain }) => wasThere(ended, step, explain) };
    },
  });
}

/** Returns the resources whose lists a step may have changed, by the path of the list. */
function listsOf({ answers, client }: CheckedStep, paths: ResourcePaths): ReadonlyMap<string, Kind> {
  const written = writesOf(answers)
    .filter(isDone)
    .flatMap((answer) => {
      const path = pathOf(client, answer);
      const segments = path === undefined ? undefined : segmentsOf(path);
      return segments === undefined ? [] : [segments];
    });
  const lists = new Map<string, Kind>();
  for (const kind of paths.kinds) {
    if (kind.resource.can.list !== true || kind.resource.can.read !== true) continue;
    for (const segments of written) {
      const path = kind.collection.parameters === 0 ? kind.collection.filled(new Map()) : collectionPath(kind, segments);
      if (path !== undefined) lists.set(path, kind);
    }
  }
  return lists;
}

/**
 * Reports items that could be read before the step although the list already said that they had ended. The ending is then not the reason why they
 * disappeared in the step. Runs in the state before the step.
 */
async function wasThere(ended: readonly Ended[], { action, client }: CheckedStep, explain: CheckedStep["explain"]): Promise<boolean> {
  for (const { list, item, path, says } of ended) {
    const { resource } = list.kind;
    const id = idOf(item, resource);
    const before = listIn(await client.get(list.path), resource)?.find((one) => idOf(one, resource) === id);
    if (saidBefore(item, before) && isServed(await client.get(path))) return explain(`${action.name}: ${says}`);
  }
  return true;
}

/**
 * Returns a description of the first contradiction; `undefined` if there is none.
 * @param ended Receives the missing items that have ended according to the list.
 */
async function whatIsWrong(list: Listed, step: CheckedStep, paths: ResourcePaths, ended: Ended[]): Promise<string | undefined> {
  const { kind, items } = list;
  const { client } = step;
  for (const item of items.slice(0, LOOKED_AT)) {
    const path = pathIn(list, item);
    if (path === undefined) continue;
    const answer = await client.get(path);
    if (isMissing(answer.statusCode)) {
      const says = `GET ${kind.collection.text} lists an item, but GET ${kind.item.text} of this item is answered ${answer.statusCode}`;
      if (!isTombstone(item)) return says;
      if (!saysDeleted(item)) ended.push({ list, item, path, says });
    }
    const own = answer.ok ? itemIn(answer, kind.resource) : undefined;
    const fields = own === undefined ? [] : await steady({ list, item, own, path }, contradictions(item, own), client);
    if (fields.length > 0) return `GET ${kind.collection.text} and GET ${kind.item.text} of an item in it differ in ${shown(fields)}`;
  }
  if (list.isPart) return undefined;
  const created = createdBy(step, paths);
  if (created === undefined || created.kind !== kind || pathIn(list, undefined, created.id) !== created.path) return undefined;
  if (items.some((item) => idOf(item, kind.resource) === created.id) || !(await client.get(created.path)).ok) return undefined;
  return `GET ${kind.item.text} returns the created item, but GET ${kind.collection.text} does not list it`;
}

/** An item as the list call returns it (`item`), and as the call for the single item returns it (`own`). */
interface Pair {
  readonly list: Listed;
  readonly item: Item;
  readonly own: Item;
  readonly path: string;
}

/** Reads the list and the item a second time. Returns the fields whose values have not changed since the first time. */
async function steady({ list, item, own, path }: Pair, fields: readonly string[], client: ApiClient): Promise<readonly string[]> {
  if (fields.length === 0) return fields;
  const { kind } = list;
  const ownAgain = itemIn(await client.get(path), kind.resource);
  const id = idOf(item, kind.resource);
  const itemAgain = listIn(await client.get(list.path), kind.resource)?.find((one) => idOf(one, kind.resource) === id);
  if (ownAgain === undefined || itemAgain === undefined) return [];
  return fields.filter((field) => isSteady(field, own, ownAgain) && isSteady(field, item, itemAgain));
}

function pathIn({ kind, path }: Listed, item: Item | undefined, id: string | undefined = idOf(item, kind.resource)): string | undefined {
  const parameters = kind.collection.match(segmentsOf(path) ?? []);
  return id === undefined || parameters === undefined ? undefined : itemPath(kind, parameters, id);
}

function shown(fields: readonly string[]): string {
  const named = fields.slice(0, NAMED).map((field) => JSON.stringify(field.slice(0, LONGEST)));
  return `${named.join(", ")}${fields.length > NAMED ? ` and ${fields.length - NAMED} more` : ""}`;
}
