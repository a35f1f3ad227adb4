import type { Parameter, Schema } from "../../../openapi/operations/description.ts";
import type { Field } from "../values/build-value.ts";
import type { Called, FoundResource } from "./found-resource.ts";
import { fits, idName, isGeneric, isIdWord, namesItsThing, sameIdName } from "./id-field.ts";
import type { Producer } from "../actions/producers.ts";
import type { Schemas } from "../values/schemas.ts";
import { looksLikeId, singularName, squashed } from "./words.ts";

/** Words that can precede the name of a resource in an id field: `billing_address_id` is the id of an `address`. */
const ROLES = ["shipping", "billing", "delivery", "parent", "target", "assigned", "default", "primary"];

/** Finds the resource whose id a parameter or field holds. The methods return `undefined` if no resource matches with certainty. */
export class KeyIndex {
  readonly #resources: readonly FoundResource[];
  readonly #producers: ReadonlyMap<string, readonly Producer[]>;
  readonly #schemas: Schemas;
  readonly #byShape: ReadonlyMap<string, FoundResource>;
  /** The resources by the names that a field with an id of the resource can have, in lower case without separators: `orderid`, `orderitemid`. */
  readonly #byName = new Map<string, FoundResource[]>();

  constructor(resources: readonly FoundResource[], producers: ReadonlyMap<string, readonly Producer[]>, schemas: Schemas) {
    this.#resources = resources;
    this.#producers = producers;
    this.#schemas = schemas;
    this.#byShape = new Map(resources.map((one) => [one.shape, one]));
    for (const resource of resources) {
      for (const name of namesElsewhere(resource)) this.#byName.set(name, [...(this.#byName.get(name) ?? []), resource]);
    }
  }

  produced(key: string): boolean {
    return this.#producers.has(key);
  }

  /** Returns the resource whose id is in segment `at` of the URL path. The result may be a resource whose ids no operation returns. */
  resourceAt(call: Called, at: number): FoundResource | undefined {
    const own = this.#byShape.get(call.path.shapes[at]!);
    const segment = call.path.segments[at];
    if (segment?.kind !== "parameter") return own;
    // In `/teams/{team_id}/members/{user_id}`, the name of the second parameter shows that it is the id of a user, not of a member.
    const same = own !== undefined && sameIdName(segment.name, own.parameter.name, own.nouns);
    if (same && idName(segment.name, own.nouns).own) return own;
    const named = this.byName(segment.name, call);
    return named !== undefined && this.produced(named.key) ? named : same ? own : undefined;
  }

  /**
   * Returns the resource whose id a name such as `customer_id` means in this operation. Returns `undefined` if no resource fits, or several resources
   * fit.
   */
  byName(name: string, call: Called): FoundResource | undefined {
    const squash = squashed(name);
    const found = this.#byName.get(squash) ?? this.#byName.get(withoutRole(squash));
    if (found === undefined) return undefined;
    const known = found.filter(({ key }) => this.produced(key));
    // If several resources have this name, prefer a resource below an item that is also in the URL path of this operation.
    const near = known.filter(({ scope }) => scope !== undefined && call.path.shapes.includes(scope));
    if (near.length === 1) return near[0];
    if (known.length === 1) return known[0];
    const top = known.filter(({ scope }) => scope === undefined);
    if (near.length > 0) return undefined;
    // Prefer a resource whose items can be created. The id in `/report/webinars/{id}` is therefore the id of an item of `/webinars/{id}`.
    const made = top.filter(({ operations }) => operations.create.length > 0);
    return top.length === 1 ? top[0] : made.length === 1 ? made[0] : undefined;
  }

  /**
   * Returns the resource whose id a field of a request body holds. A field name without an id word is accepted only if it refers to the resource, see
   * {@link namesItsThing}. `username` is not accepted, because it may be a user name for another service.
   */
  ofBodyField(field: Field, call: Called): FoundResource | undefined {
    const resource = this.ofField(field, call);
    return resource === undefined || looksLikeId(field.name) || namesItsThing(field.name, resource.nouns) ? resource : undefined;
  }

  ofField({ name, schema, inside, object, required }: Field, call: Called): FoundResource | undefined {
    const named = this.byName(name, call) ?? this.#byThingAlone(name, schema, call);
    if (named !== undefined) return this.#fits(named, schema) ? named : undefined;
    const outer = inside.at(-1);
    if (outer === undefined || !(required || object.properties.size <= 2)) return undefined;
    const thing = this.#things(outer, call);
    return thing !== undefined && thing.id !== undefined && squashed(thing.id) === squashed(name) && this.#fits(thing, schema)
      ? thing
      : undefined;
  }

  /**
   * Returns the resource of a query parameter whose whole name is an id word, as in `/orders/details?id=7`: the resource of the nearest collection in
   * the URL path.
   */
  ofQuery({ name, schema }: Pick<Parameter, "name" | "schema">, call: Called): FoundResource | undefined {
    if (!isIdWord(squashed(name))) return undefined;
    const around = this.#resources.filter(({ key, collectionShape }) => this.produced(key) && call.path.shapes.includes(collectionShape));
    const nearest = around.sort((a, b) => b.collectionShape.length - a.collectionShape.length)[0];
    return nearest !== undefined && fits(this.#producers.get(nearest.key)?.[0]?.schema, schema, false, this.#schemas) ? nearest : undefined;
  }

  /**
   * Returns the resource for a name without an id word, such as `customer`. The field is accepted only if its values and the ids of the resource are
   * both integers or both UUIDs.
   */
  #byThingAlone(name: string, schema: Schema, call: Called): FoundResource | undefined {
    const flat = this.#schemas.flat(schema);
    if (!flat.types.has("integer") && flat.keywords["format"] !== "uuid") return undefined;
    const thing = this.#things(name, call);
    const id = thing === undefined ? undefined : this.#schemas.flat(this.#producers.get(thing.key)?.[0]?.schema);
    if (id === undefined) return undefined;
    const same = flat.types.has("integer") ? id.types.has("integer") : id.keywords["format"] === "uuid";
    return same ? thing : undefined;
  }

  #things(name: string, call: Called): FoundResource | undefined {
    const noun = singularName(name);
    if (noun === "") return undefined;
    const found = this.#resources.filter(({ nouns, key }) => nouns.some((one) => one === noun) && this.produced(key));
    const near = found.filter(({ scope }) => scope !== undefined && call.path.shapes.includes(scope));
    return found.length === 1 ? found[0] : near.length === 1 ? near[0] : undefined;
  }

  #fits({ key }: FoundResource, schema: Schema): boolean {
    const produced = this.#producers.get(key)?.[0];
    return produced !== undefined && fits(produced.schema, schema, true, this.#schemas);
  }
}

function namesElsewhere({ nouns, parameter, id, name }: FoundResource): ReadonlySet<string> {
  const { suffix, own } = idName(parameter.name, nouns);
  const suffixes = new Set(
    own && isIdWord(suffix) ? ["id", suffix] : own && suffix !== "" && isGeneric(suffix) ? [suffix] : own ? ["id"] : [],
  );
  const names = new Set<string>();
  for (const noun of new Set([...nouns, name])) for (const one of suffixes) names.add(squashed(noun) + one);
  // A specific parameter name, such as `username` in `/users/{username}`, refers to the same id in other places. A general name such as `name` or
  // `version` does not.
  if (own && suffix !== "" && !isGeneric(parameter.name) && id !== undefined && squashed(id) === squashed(parameter.name))
    names.add(squashed(parameter.name));
  return names;
}

function withoutRole(squash: string): string {
  const role = ROLES.find((one) => squash.startsWith(one));
  return role === undefined ? squash : squash.slice(role.length);
}
