import type { ApiClient } from "../model/http/client.ts";
import type { Values } from "../model/context/context.ts";
import type { Resource } from "../model/declare/resource.ts";
import { Rule } from "../model/declare/rule.ts";
import { Severity } from "../model/declare/severity.ts";
import { idOf, isAbsent, isServed, listIn } from "./answers/answer-content.ts";
import { createdBy, type Created } from "./resources/created.ts";
import { isDone } from "./requests.ts";
import { collectionPath, itemPath, ResourcePaths, type Kind } from "./resources/resource-paths.ts";
import { requireOptions } from "./rule-options.ts";

/** Options of {@link resourceHierarchy}. */
export interface ResourceHierarchyOptions {
  /** The resources of the API. A resource is judged if it has a `parent` and its paths begin with the parent's item path. */
  readonly resources: readonly Resource[];
}

/** The path that a created item would have below a parent other than its own. */
interface Elsewhere {
  readonly parent: Kind;
  readonly path: string;
}

/**
 * Checks that an item that was created below one parent cannot be reached below another parent. Severity: HIGH. The rule is judged after a step whose
 * last writing request created a child: a `POST` to its collection, answered 2xx (not 202) with an id, or a `PUT` to its item, answered 201. The path
 * of the child's item must begin with the parent's item path, and the API must list the parents. The child's path is then built with the first other
 * parent in that list:
 * - If children can be read: `GET` of the child below the other parent must be refused or fail (no 2xx), or have no content.
 * - If children can be read and deleted: `DELETE` of the child below the other parent must not delete it. The child was deleted if the `DELETE` is
 *   answered 2xx (not 202), and `GET` below its own parent, which was answered 2xx with content before, is answered 404, 410 or without content
 *   afterwards. The deletion is undone at the end.
 *
 * There is no finding if the same `GET` below the other parent was already answered 2xx with content before the step, when the child did not exist:
 * the ids of children are then unique only within each parent, or the parents share their children. A child is judged only when it is created.
 *
 * This is the resource-hierarchy rule of Atlidakis, Godefroid and Polishchuk, "Checking Security Properties of Cloud Service REST APIs", ICST 2020.
 * @throws SeqqaError `RULE_INVALID` if `resources` is invalid
 */
export function resourceHierarchy<C extends object = Values, A = ApiClient>(options: ResourceHierarchyOptions): Rule<C, A> {
  requireOptions<keyof ResourceHierarchyOptions>("resourceHierarchy", options, { resources: true });
  const { resources } = options;
  const paths = new ResourcePaths("resourceHierarchy", resources);
  return new Rule<C, A>({
    name: "resource_hierarchy",
    message: "an item that was created under one parent is available under another",
    severity: Severity.HIGH,
    writes: true,
    judge: async (_world, { action, answers, client }) => {
      const created = createdBy({ answers, client }, paths);
      if (created === undefined || created.kind.resource.can.read !== true) return true;
      const other = await underAnother(created, paths, client);
      if (other === undefined) return true;
      const broken = await foundUnder(other, created, client);
      if (broken === undefined) return true;
      return {
        earlier: async (begun) => {
          if (isServed(await client.get(other.path))) return true;
          return begun.explain(`${action.name}: after ${created.answer.request.method} ${created.kind[created.place.of].text}, ${broken}`);
        },
      };
    },
  });
}

async function underAnother({ kind, id, place }: Created, paths: ResourcePaths, client: ApiClient): Promise<Elsewhere | undefined> {
  const parent = paths.named(kind.resource.parent);
  if (parent === undefined || parent.resource.can.list !== true) return undefined;
  const { segments } = place;
  const position = parent.item.length - 1;
  if (position >= segments.length || parent.item.bind(segments) === undefined) return undefined;
  const list = collectionPath(parent, segments);
  if (list === undefined) return undefined;
  const others = listIn(await client.get(list), parent.resource)?.map((one) => idOf(one, parent.resource)) ?? [];
  const other = others.find((one) => one !== undefined && one !== segments[position]);
  if (other === undefined) return undefined;
  const there = segments.with(position, other);
  const parameters = kind.collection.bind(there);
  const own = kind.collection.bind(segments);
  if (parameters === undefined || own === undefined) return undefined;
  const path = itemPath(kind, parameters, id);
  // If the item's path does not contain the parent's id, the path is the same for every parent, so there is nothing to check.
  return path === undefined || path === itemPath(kind, own, id) ? undefined : { parent, path };
}

/** Tries to read and delete the item at the path below the other parent. Returns a description of the problem; `undefined` if there is no problem. */
async function foundUnder({ parent, path }: Elsewhere, { kind, path: own }: Created, client: ApiClient): Promise<string | undefined> {
  const under = `under another ${parent.resource.name}`;
  const seen = await client.get(path);
  if (isServed(seen)) return `GET ${kind.item.text} of the created item ${under} was answered ${seen.statusCode}`;
  if (kind.resource.can.delete !== true || !isServed(await client.get(own))) return undefined;
  const deleted = await client.delete(path);
  if (!isDone(deleted)) return undefined;
  if (!isAbsent(await client.get(own))) return undefined;
  return `DELETE ${kind.item.text} of the created item ${under} was answered ${deleted.statusCode} and deleted the item`;
}
