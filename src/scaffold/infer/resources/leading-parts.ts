import type { Parameter, Schema } from "../../../openapi/operations/description.ts";
import type { Called, FoundResource } from "./found-resource.ts";
import { fits, idProperty } from "./id-field.ts";
import type { Schemas } from "../values/schemas.ts";
import { snake, squashed } from "./words.ts";

/** A path parameter before the id of an item, with the place of its value inside the item. */
export interface LeadingPart {
  readonly parameter: Parameter;
  readonly path: readonly string[];
  readonly schema: Schema;
}

/**
 * Returns the parameters that an item's URL path has before the id and that this operation's path lacks. Each parameter comes with the place of its
 * value in the item: for `/repos/{owner}/{repo}`, the place of `owner` is `owner.login`. Returns `undefined` if the item does not contain one of the
 * values, or if one of the parameters is the id of another resource.
 */
export function leadingParts(
  item: Schema,
  { leading }: FoundResource,
  { path }: Called,
  resources: readonly Pick<FoundResource, "shape">[],
  schemas: Schemas,
): readonly LeadingPart[] | undefined {
  const parts: LeadingPart[] = [];
  for (const { parameter, shape } of leading) {
    if (path.shapes.includes(shape)) continue;
    const part = resources.some((one) => one.shape === shape) ? undefined : partOf(item, parameter, schemas);
    if (part === undefined) return undefined;
    parts.push(part);
  }
  return parts;
}

function partOf(item: Schema, parameter: Parameter, schemas: Schemas): LeadingPart | undefined {
  const thing = snake(parameter.name).replace(/_(?:id|uuid|guid|slug|name|key)$/, "");
  for (const [name, schema] of schemas.flat(item).properties) {
    const own = squashed(name);
    if (own === squashed(parameter.name) && fits(schema, parameter.schema, true, schemas)) return { parameter, path: [name], schema };
    const inner = schemas.flat(schema);
    if (own !== squashed(thing) || !inner.types.has("object")) continue;
    const id = idProperty(inner, parameter, [thing], schemas);
    if (id !== undefined) return { parameter, path: [name, id], schema: inner.properties.get(id)! };
  }
  return undefined;
}
