import type { Parameter } from "../../../openapi/operations/description.ts";
import { declarationOf } from "./declaration.ts";
import { placeOfParameter, type Linked } from "../facts.ts";
import type { Called, FoundResource } from "../resources/found-resource.ts";
import { isGeneric } from "../resources/id-field.ts";
import type { KeyIndex } from "../resources/key-index.ts";
import { openKey } from "../values/path-parameter.ts";
import type { Part } from "./leading-keys.ts";

interface Use {
  readonly place: string;
  readonly name: string;
  readonly call: Called;
  readonly key: string;
  readonly isProduced: boolean;
  /** The resource whose id the parameter is. `undefined` if the parameter is not itself an id, like `{owner}` in `/repos/{owner}/{repo}`. */
  readonly resource: FoundResource | undefined;
}

interface OneParameter {
  /** The parameters whose values some operation provides, each with the context key of the value. Such a parameter needs no key of its own. */
  readonly produced: ReadonlyMap<string, Linked>;
  readonly open: ReadonlyMap<string, string>;
}

/**
 * Gives path parameters with the same declaration one context key, for example `{org}` in `/orgs/{org}` and in `/teams/{id}/orgs/{org}`. If an
 * operation provides the value, the key of this value is used. Ids of different resources keep different keys, even if their parameters are declared
 * in the same way: the ids of comments on issues are not the ids of comments on commits.
 */
export function oneParameter(
  calls: readonly Called[],
  index: KeyIndex,
  linked: ReadonlyMap<string, Linked>,
  parts: readonly Part[],
): OneParameter {
  const groups = new Map<string, Use[]>();
  for (const call of calls) {
    for (const parameter of call.operation.parameters) {
      const place = placeOfParameter(call.operation, "path", parameter.name);
      if (parameter.in !== "path" || isGeneric(parameter.name) || linked.has(place)) continue;
      const declared = declarationOf(parameter);
      const use: Use = {
        place,
        name: parameter.name,
        call,
        ...keyOf(
          parameter,
          call,
          index,
          parts.find((part) => part.declared === declared),
        ),
      };
      const group = groups.get(declared);
      if (group === undefined) groups.set(declared, [use]);
      else group.push(use);
    }
  }
  const produced = new Map<string, Linked>();
  const byName = new Map<string, Use[]>();
  for (const uses of groups.values()) {
    const given = uses.filter(({ isProduced }) => isProduced);
    for (const use of uses) {
      if (use.isProduced && use.resource !== undefined) continue;
      const key = use.isProduced ? use.key : givenKey(use, given);
      if (key !== undefined) produced.set(use.place, { kind: "key", key, link: "" });
      else byName.set(use.name, [...(byName.get(use.name) ?? []), use]);
    }
  }
  const open = new Map([...byName.values()].flatMap((uses) => uses.map(({ place }): [string, string] => [place, shortest(uses)!])));
  return { produced, open };
}

function keyOf({ name }: Parameter, call: Called, index: KeyIndex, part: Part | undefined): Pick<Use, "key" | "isProduced" | "resource"> {
  const at = call.path.segments.findIndex((segment) => segment.kind === "parameter" && segment.name === name);
  const own = at < 0 ? undefined : index.resourceAt(call, at);
  const resource = own !== undefined && index.produced(own.key) ? own : index.byName(name, call);
  if (resource !== undefined) return { key: resource.key, isProduced: true, resource };
  if (part !== undefined) return { key: part.key, isProduced: true, resource: undefined };
  return { key: openKey(name, at, own, call, index), isProduced: false, resource: own };
}

/**
 * Returns the context key whose value a call can send as a parameter. An id that is only valid below a parent, such as the id of an order's item, can
 * only be used if the call also has the parameter of the parent. Returns `undefined` if no key or several keys fit.
 */
function givenKey({ call }: Use, given: readonly Use[]): string | undefined {
  const here = new Set(call.operation.parameters.map(declarationOf));
  const fitting = given.filter(({ resource }) => (resource?.leading ?? []).every(({ parameter }) => here.has(declarationOf(parameter))));
  const keys = new Set(fitting.map(({ key }) => key));
  return keys.size === 1 ? [...keys][0] : undefined;
}

/**
 * Returns the shortest of several context keys, because it has the fewest words that are specific to one URL path. Keys for ids of resources are
 * preferred to other keys, whatever their length.
 */
function shortest(uses: readonly Use[]): string | undefined {
  const ofResources = uses.filter(({ resource }) => resource !== undefined);
  return (ofResources.length > 0 ? ofResources : uses).map(({ key }) => key).sort((a, b) => a.length - b.length)[0];
}
