import { leadingParts } from "../resources/leading-parts.ts";
import type { FoundResource } from "../resources/found-resource.ts";
import { identifier, unique } from "../resources/identifiers.ts";
import { declarationOf } from "./declaration.ts";
import type { Producer } from "../actions/producers.ts";
import type { Schemas } from "../values/schemas.ts";
import { snake } from "../resources/words.ts";

/** A path parameter before an id, for example `owner` in `/repos/{owner}/{repo}`, with the context key for its value. */
export interface Part {
  readonly declared: string;
  readonly key: string;
}

/**
 * Finds answers that contain, beside an id, the values of the path parameters before this id, and adds them to `producers`. For example, the answer
 * of `POST /user/repos` contains `owner.login`, which is `{owner}` in `/repos/{owner}/{repo}`.
 */
export function addLeadingKeys(
  resources: readonly FoundResource[],
  producers: Map<string, readonly Producer[]>,
  schemas: Schemas,
): readonly Part[] {
  const parts: Part[] = [];
  const taken = new Set(resources.map(({ key }) => key));
  for (const resource of resources) {
    for (const { call, source, item } of producers.get(resource.key) ?? []) {
      if (source.kind !== "body" || item === undefined) continue;
      for (const { parameter, path, schema } of leadingParts(item, resource, call, resources, schemas) ?? []) {
        const declared = declarationOf(parameter);
        let part = parts.find((one) => one.declared === declared);
        if (part === undefined) {
          const names = [snake(parameter.name), `${resource.name}_${snake(parameter.name)}`].map((name) => identifier(name, "value"));
          parts.push((part = { declared, key: unique(taken, ...names) }));
        }
        const place = [...source.path.slice(0, -1), ...path];
        const producer: Producer = { call, key: part.key, source: { kind: "body", path: place }, schema, what: place.join(".") };
        producers.set(part.key, [...(producers.get(part.key) ?? []), producer]);
      }
    }
  }
  return parts;
}
