import type { Schema } from "../../../openapi/operations/description.ts";
import { discriminatorOf, namesOf } from "../../../openapi/operations/discriminator.ts";
import { asJson, constant, listOf, objectOf, type Built } from "./built.ts";
import type { Json } from "../plan.ts";
import { scalarValue } from "./scalar-value.ts";
import { isRecord, type FlatSchema, type Schemas } from "./schemas.ts";

/** The maximum nesting depth of values that are built for a schema. A schema may contain itself. */
const DEEPEST = 10;
const MOST_ITEMS = 50;

export interface Field {
  readonly name: string;
  readonly schema: Schema;
  readonly required: boolean;
  readonly inside: readonly string[];
  /** The name of the list that contains the value as an item: `user_ids` for `user_id`. `undefined` for a field of an object. */
  readonly list?: string | undefined;
  /** The object schema that contains the field, with references resolved. `of` is this schema as it is in the description. */
  readonly object: FlatSchema;
  readonly of: Schema;
}

export interface Knowledge {
  readonly schemas: Schemas;
  /** `true` if examples in the OpenAPI description are used. `false` if only its schemas are used. */
  readonly examples: boolean;
  /** `true` if optional fields are built, too, because the alternatives of a schema may differ only in optional fields. */
  readonly full: boolean;
  /** The schema keyword of the fields that are left out: `readOnly` in requests, `writeOnly` in answers. Default: `readOnly`. */
  readonly leftOut?: "readOnly" | "writeOnly" | undefined;
  /** The number of values that may still be built. A limit is needed, because schemas can be nested endlessly. */
  readonly steps: { left: number };
  /**
   * Returns the value of a field, `"omit"` if the field must not be sent, or `undefined` if the value should be built from the field's schema. @param
   * sample Returns the value that would be built from the schema.
   */
  field(field: Field, sample: () => Json): Built | "omit" | undefined;
}

export interface Wish {
  /** The name of the field or parameter for which a value is built. Empty for a whole body. */
  readonly name: string;
  readonly examples?: readonly unknown[];
  readonly alternative?: number;
  readonly variant?: number;
}

interface Place {
  readonly inside: readonly string[];
  readonly depth: number;
}

const below = ({ inside, depth }: Place): Place => ({ inside, depth: depth + 1 });

/**
 * Builds a value that fits a schema. Values in the description (constants, examples, defaults, enumerations) are preferred over generated values.
 * Returns `undefined` if no value can be built.
 */
export function buildValue(schema: Schema, wish: Wish, knowledge: Knowledge): Built | undefined {
  return build(schema, wish, knowledge, { inside: [], depth: 0 });
}

function build(schema: Schema, wish: Wish, knowledge: Knowledge, place: Place): Built | undefined {
  if (place.depth > DEEPEST || --knowledge.steps.left < 0) return undefined;
  const { schemas } = knowledge;
  const flat = schemas.flat(schema, wish.alternative ?? 0);
  const { types, keywords } = flat;
  const subtype = isObject(flat) ? subtypeOf(schema, flat, wish, knowledge) : undefined;
  if (subtype !== undefined) return build(subtype, wish, knowledge, { ...place, depth: place.depth + 1 });
  if (isObject(flat)) return buildObject(schema, flat, wish, knowledge, place);
  if (types.has("array")) return buildList(flat, wish, knowledge, place);
  const given = givenValue(flat, wish, knowledge);
  if (given !== undefined) return constant(given);
  const scalar = scalarValue(flat, wish.name, wish.variant ?? 0);
  if (scalar !== undefined) return constant(scalar);
  return keywords["nullable"] === true || allowsNull(schemas.resolved(schema)["type"]) ? constant(null) : undefined;
}

function isObject({ types, properties }: FlatSchema): boolean {
  return types.has("object") || (types.size === 0 && properties.size > 0);
}

function allowsNull(type: unknown): boolean {
  return type === "null" || (Array.isArray(type) && type.includes("null"));
}

/** Returns a value that the description contains: a constant, else an example, else a default, else a value of the enumeration. */
function givenValue(flat: FlatSchema, wish: Wish, knowledge: Knowledge): Json | undefined {
  const { keywords } = flat;
  const listed: readonly unknown[] = Array.isArray(keywords["enum"]) ? keywords["enum"] : [];
  if (keywords["const"] !== undefined) return asJson(keywords["const"]);
  const variant = wish.variant ?? 0;
  if (variant > 0) return asJson(listed.filter((one) => one !== null)[variant]);
  const example = knowledge.examples ? exampleOf(flat, wish) : undefined;
  // Ignore an example that is not in the enumeration, because it is a mistake in the description.
  if (example !== undefined && (listed.length === 0 || listed.includes(example))) return asJson(example);
  return asJson(keywords["default"] ?? undefined) ?? asJson(listed.find((one) => one !== null));
}

function exampleOf({ keywords }: FlatSchema, { examples = [], variant = 0 }: Wish): unknown {
  if (variant > 0) return undefined;
  const own: unknown = Array.isArray(keywords["examples"]) ? keywords["examples"][0] : undefined;
  return examples[0] ?? keywords["example"] ?? own ?? undefined;
}

function buildObject(schemaOfObject: Schema, flat: FlatSchema, wish: Wish, knowledge: Knowledge, place: Place): Built | undefined {
  const { inside, depth } = place;
  const example = knowledge.examples ? exampleOf(flat, wish) : undefined;
  const given = new Map(isRecord(example) ? Object.entries(example) : []);
  const chosen = discriminated(schemaOfObject, flat, knowledge.schemas);
  const entries: [string, Built][] = [];
  // `true` if the object has no required field. All fields with plain values are then sent, because an empty object would test little.
  const loose = flat.required.size === 0 && depth === 0 && given.size === 0;
  for (const [name, schema] of flat.properties) {
    const property = knowledge.schemas.flat(schema);
    if (property.keywords[knowledge.leftOut ?? "readOnly"] === true) continue;
    const required = flat.required.has(name);
    const examples = given.has(name) ? [given.get(name)] : [];
    const plain = (): Built | undefined =>
      build(schema, { name, examples }, knowledge, { inside: [...inside, wish.name], depth: depth + 1 });
    const field: Field = {
      name,
      schema,
      required,
      inside: [...inside, wish.name].filter((one) => one !== ""),
      object: flat,
      of: schemaOfObject,
    };
    const known = knowledge.field(field, () => plain()?.sample ?? null);
    if (known === "omit" && !required) continue;
    if (known !== undefined && known !== "omit") entries.push([name, known]);
    else if (name === chosen?.name) entries.push([name, constant(chosen.value)]);
    else if (
      required ||
      given.has(name) ||
      (knowledge.full && depth < 3) ||
      (loose && !isObject(property) && !property.types.has("array"))
    ) {
      const built = plain();
      if (built !== undefined) entries.push([name, built]);
      else if (required) return undefined;
    } else {
      const deep = deepKeys(schema, name, knowledge, { inside: field.inside, depth });
      if (deep !== undefined) entries.push([name, deep]);
    }
  }
  for (const name of addGiven(entries, flat, given)) {
    const built = build(flat.properties.get(name) ?? additional(flat), { name }, knowledge, below(place));
    if (built !== undefined) entries.push([name, built]);
  }
  return objectOf(entries);
}

function additional({ keywords }: FlatSchema): Schema {
  return isRecord(keywords["additionalProperties"]) ? keywords["additionalProperties"] : true;
}

/**
 * Adds fields that only the example contains. Returns the names of further fields that must be built: required fields that are neither in
 * `properties` nor in the example, and enough fields to reach `minProperties`.
 */
function addGiven(
  entries: [string, Built][],
  { keywords, properties, required }: FlatSchema,
  given: ReadonlyMap<string, unknown>,
): readonly string[] {
  const open = keywords["additionalProperties"] !== false;
  for (const [name, value] of given) {
    const json = asJson(value);
    if (!properties.has(name) && open && json !== undefined) entries.push([name, constant(json)]);
  }
  const missing = [...required].filter((name) => !properties.has(name) && !given.has(name));
  const least = typeof keywords["minProperties"] === "number" ? Math.min(keywords["minProperties"], MOST_ITEMS) : 0;
  const optional = [...properties.keys()].filter((name) => !entries.some(([one]) => one === name));
  for (let count = 1; entries.length + missing.length < least; count++) missing.push(optional.shift() ?? `key${count}`);
  return missing;
}

/**
 * Builds an optional object or list. Returns `undefined` if the object or list contains no id that another action returns, as in `customer: { id }`.
 */
function deepKeys(schema: Schema, name: string, knowledge: Knowledge, place: Place): Built | undefined {
  const flat = knowledge.schemas.flat(schema);
  if ((!isObject(flat) && !flat.types.has("array")) || place.depth > 3) return undefined;
  let keys = 0;
  const listening: Knowledge = {
    ...knowledge,
    field: (field, sample) => {
      const known = knowledge.field(field, sample);
      if (known !== undefined && known !== "omit" && known.value.kind === "context") keys++;
      return known;
    },
  };
  const built = build(schema, { name }, listening, below(place));
  return keys > 0 ? built : undefined;
}

function buildList(flat: FlatSchema, wish: Wish, knowledge: Knowledge, place: Place): Built | undefined {
  const { keywords } = flat;
  const example = knowledge.examples ? exampleOf(flat, wish) : undefined;
  const items = (keywords["items"] ?? true) as Schema;
  const tuple = Array.isArray(keywords["prefixItems"]) ? (keywords["prefixItems"] as Schema[]) : [];
  const given: readonly unknown[] = Array.isArray(example) ? example.slice(0, MOST_ITEMS) : [];
  const least = typeof keywords["minItems"] === "number" ? keywords["minItems"] : 0;
  const most = typeof keywords["maxItems"] === "number" ? keywords["maxItems"] : Infinity;
  if (least > MOST_ITEMS) return undefined;
  // The number of items to build: at least 1 if the schema allows an item, because an empty list would test little.
  const count = Math.min(Math.max(least, given.length, tuple.length, 1), most);
  const built: Built[] = [];
  for (let at = 0; at < count; at++) {
    const examples = at < given.length ? [given[at]] : [];
    const variant = at < given.length || keywords["uniqueItems"] !== true ? 0 : at;
    const one = buildItem(tuple[at] ?? items, { name: wish.name, examples, variant }, knowledge, place);
    // No item can be built if the schema of an item requires an item of the same schema.
    if (one === undefined) return at >= least ? listOf(built) : undefined;
    built.push(one);
  }
  return listOf(built);
}

/** Builds an item of a list. A list of ids, such as `product_ids`, gets the ids of existing items. */
function buildItem(schema: Schema, wish: Wish, knowledge: Knowledge, place: Place): Built | undefined {
  const flat = knowledge.schemas.flat(schema);
  const plain = (): Built | undefined => build(schema, wish, knowledge, below(place));
  if (isObject(flat) || flat.types.has("array")) return plain();
  const name = wish.name.replace(/s$/, "");
  const known =
    (wish.variant ?? 0) > 0
      ? undefined
      : knowledge.field(
          { name, list: wish.name, schema, required: true, inside: place.inside, object: flat, of: schema },
          () => plain()?.sample ?? null,
        );
  return known === undefined || known === "omit" ? plain() : known;
}

/**
 * Returns the property that names the schema of an object (the `discriminator`), and the value that it must have. Returns `undefined` if the name of
 * the schema is not a valid value of this property.
 */
function discriminated(schema: Schema, flat: FlatSchema, schemas: Schemas): { readonly name: string; readonly value: Json } | undefined {
  const discriminator = discriminatorOf(flat.keywords);
  if (discriminator === undefined) return undefined;
  const [value] = namesOf(referenceOf(flat.branch, schemas) ?? referenceOf(schema, schemas), discriminator);
  if (value === undefined) return undefined;
  const { keywords } = schemas.flat(flat.properties.get(discriminator.property));
  const allowed = keywords["const"] !== undefined ? [keywords["const"]] : Array.isArray(keywords["enum"]) ? keywords["enum"] : [value];
  const fitting = asJson(allowed.find((one) => String(one).toLowerCase() === value.toLowerCase()));
  return fitting === undefined ? undefined : { name: discriminator.property, value: fitting };
}

/**
 * Returns one of the schemas in the discriminator's mapping, if the mapping contains schemas other than the given one. The value in an example
 * selects the schema. Without an example, the first schema is returned.
 */
function subtypeOf(schema: Schema, flat: FlatSchema, wish: Wish, { schemas, examples }: Knowledge): Schema | undefined {
  const { discriminator, oneOf, anyOf } = schemas.resolved(schema);
  const declared = discriminatorOf({ discriminator });
  if (declared === undefined || oneOf !== undefined || anyOf !== undefined) return undefined;
  const { property, mapping } = declared;
  const own = namesOf(referenceOf(schema, schemas), declared);
  if (mapping.some(([name]) => own.includes(name))) return undefined;
  const example = examples ? exampleOf(flat, wish) : undefined;
  const said = isRecord(example) ? example[property] : undefined;
  const to = (mapping.find(([name]) => name === said) ?? mapping[0])?.[1];
  if (typeof to !== "string") return undefined;
  const target = { $ref: to.startsWith("#/") ? to : `#/components/schemas/${to}` };
  return Object.keys(schemas.resolved(target)).length > 0 ? target : undefined;
}

/** Returns the `$ref` of a schema, also if the `$ref` is the only entry of `allOf`. */
function referenceOf(schema: Schema | undefined, schemas: Schemas): string | undefined {
  return schemas
    .identities(schema)
    .find((one) => one.startsWith("ref:"))
    ?.slice("ref:".length);
}
