import type { FoundResource } from "./found-resource.ts";
import { idName, isGeneric, keyName } from "./id-field.ts";
import { identifier, plainName, unique } from "./identifiers.ts";
import { saysNothing } from "./path-shape.ts";
import { singularName, snake } from "./words.ts";

/** Gives each resource and its context key a unique name. If two resources have the same noun, the first resource is named by the noun alone. */
export function nameResources(resources: readonly FoundResource[]): void {
  const names = new Set<string>();
  const keys = new Set<string>();
  for (const resource of resources) {
    const { nouns, parameter } = resource;
    const noun = plainName(nouns.at(-1)!, "thing");
    const longer = qualifiers(resource).map((one) => plainName(`${one}_${noun}`, "thing"));
    resource.name = unique(names, noun, ...longer);
    const { suffix, own } = idName(parameter.name, nouns);
    const end = own && isGeneric(suffix) ? suffix : own && suffix === "" ? "id" : snake(parameter.name);
    const key = identifier(keyName(parameter.name, resource.name, nouns), "id");
    resource.key = unique(keys, key, ...[resource.name, ...longer].map((one) => identifier(`${one}_${end}`, "id")));
  }
}

/** Returns prefixes that can make the name of a resource unique: the name of its parent, then the words of its URL path from right to left. */
function qualifiers({ parent, collectionShape }: FoundResource): readonly string[] {
  const literals = collectionShape
    .split("/")
    .filter((part) => part !== "" && !part.includes("{}") && !saysNothing(part))
    .slice(0, -1)
    .reverse()
    .map(singularName)
    .filter((one) => one !== "");
  return [...(parent === undefined ? [] : [parent.name]), ...literals, literals.toReversed().join("_")].filter((one) => one !== "");
}
