import type { ApiDescription, Schema } from "../../../openapi/operations/description.ts";

export type Keywords = Readonly<Record<string, unknown>>;

/** A schema with references resolved, `allOf` merged, and one alternative of `oneOf` or `anyOf` chosen. */
export interface FlatSchema {
  readonly types: ReadonlySet<string>;
  readonly properties: ReadonlyMap<string, Schema>;
  readonly required: ReadonlySet<string>;
  /** All keywords except `properties`. If merged parts of the schema differ in a keyword, the more restrictive value is used. */
  readonly keywords: Keywords;
  /** The number of alternatives in `oneOf` or `anyOf`, not counting `null`. Without alternatives, the number is 1. */
  readonly alternatives: number;
  readonly branch?: Schema | undefined;
}

const EMPTY: FlatSchema = {
  types: new Set(),
  properties: new Map(),
  required: new Set(),
  keywords: {},
  alternatives: 1,
  branch: undefined,
};

/** The maximum nesting depth of `allOf`, `oneOf` and `anyOf` that is resolved. A schema may contain itself. */
const DEEPEST = 16;

const MOST_FORMS = 8;

export class Schemas {
  readonly #description: ApiDescription;
  readonly #flat = new WeakMap<object, FlatSchema>();
  readonly #numbers = new WeakMap<object, number>();
  #count = 0;

  constructor(description: ApiDescription) {
    this.#description = description;
  }

  /** Returns the keywords of a schema after its `$ref` is resolved. Returns `{}` for `true` and for values that are not schemas. */
  resolved(schema: Schema | undefined): Keywords {
    if (schema === undefined) return {};
    const resolved = this.#description.resolve(schema);
    if (!isRecord(resolved)) return {};
    if (!isRecord(schema) || schema === resolved || schema["$ref"] === undefined) return resolved;
    // OpenAPI 3.1 allows other keywords beside `$ref`. These keywords apply in addition to the target of the `$ref`.
    const { $ref: _, ...beside } = schema;
    return Object.keys(beside).length === 0 ? resolved : { ...resolved, ...beside };
  }

  flat(schema: Schema | undefined, alternative = 0): FlatSchema {
    if (!isRecord(schema)) return EMPTY;
    if (alternative !== 0) return this.#flatten(schema, alternative, 0);
    let flat = this.#flat.get(schema);
    if (flat === undefined) this.#flat.set(schema, (flat = this.#flatten(schema, 0, 0)));
    return flat;
  }

  /** Returns one flattened schema for each alternative of a schema, at most {@link MOST_FORMS}. The first is the result of {@link flat}. */
  forms(schema: Schema | undefined): readonly { readonly schema: Schema; readonly flat: FlatSchema }[] {
    const flat = this.flat(schema);
    const first = { schema: schema ?? true, flat };
    const others = Array.from({ length: Math.min(flat.alternatives, MOST_FORMS) - 1 }, (_, at) => this.flat(schema, at + 1));
    return [first, ...others.map((other) => ({ schema: other.branch ?? true, flat: other }))];
  }

  /**
   * Returns texts that identify a schema: its `$ref`, its title, and a number for the schema object. If two schemas have a text in common, they
   * describe the same kind of object.
   */
  identities(schema: Schema | undefined): readonly string[] {
    const found: string[] = [];
    let current: Schema | undefined = schema;
    for (let depth = 0; isRecord(current) && depth < DEEPEST; depth++) {
      if (typeof current["$ref"] === "string") found.push(`ref:${current["$ref"]}`);
      const resolved: Schema = this.#description.resolve(current);
      if (!isRecord(resolved)) break;
      if (typeof resolved["title"] === "string" && resolved["title"] !== "") found.push(`title:${resolved["title"]}`);
      found.push(`object:${this.#numberOf(resolved)}`);
      current = only(resolved["allOf"]) ?? only(withoutNull(resolved["anyOf"])) ?? only(withoutNull(resolved["oneOf"]));
    }
    return found;
  }

  #flatten(schema: Schema, alternative: number, depth: number): FlatSchema {
    if (depth > DEEPEST) return EMPTY;
    const { allOf, oneOf, anyOf, ...own } = this.resolved(schema);
    let flat = ownOf(own);
    for (const part of listOf(allOf)) flat = merged(flat, this.#flatten(part, 0, depth + 1));
    for (const choices of [withoutNull(oneOf), withoutNull(anyOf)]) {
      if (choices.length === 0) continue;
      const branch = choices[Math.min(alternative, choices.length - 1)]!;
      flat = {
        ...merged(flat, this.#flatten(branch, 0, depth + 1)),
        alternatives: Math.max(flat.alternatives, choices.length),
        branch,
      };
    }
    return flat;
  }

  #numberOf(resolved: object): number {
    let number = this.#numbers.get(resolved);
    if (number === undefined) this.#numbers.set(resolved, (number = ++this.#count));
    return number;
  }
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function listOf(value: unknown): readonly Schema[] {
  return Array.isArray(value) ? value.filter((one): one is Schema => typeof one === "boolean" || isRecord(one)) : [];
}

export function withoutNull(value: unknown): readonly Schema[] {
  return listOf(value).filter((one) => !isRecord(one) || one["type"] !== "null");
}

function only(list: unknown): Schema | undefined {
  const all = listOf(list);
  return all.length === 1 ? all[0] : undefined;
}

function ownOf(own: Keywords): FlatSchema {
  const { properties, required, ...keywords } = own;
  const types = typesOf(own);
  return {
    types,
    properties: new Map(isRecord(properties) ? (Object.entries(properties) as [string, Schema][]) : []),
    required: new Set(Array.isArray(required) ? required.filter((one): one is string => typeof one === "string") : []),
    keywords,
    alternatives: 1,
    branch: undefined,
  };
}

/** Returns the JSON types that a schema allows, without `null`. Empty if the schema does not restrict the type. */
function typesOf(own: Keywords): ReadonlySet<string> {
  const said: unknown = own["type"];
  const named = (Array.isArray(said) ? said : [said]).filter((one): one is string => typeof one === "string" && one !== "null");
  if (named.length > 0) return new Set(named);
  if (own["const"] !== undefined) return new Set([typeOfValue(own["const"])]);
  if (Array.isArray(own["enum"])) return new Set(own["enum"].filter((one) => one !== null).map(typeOfValue));
  if (isRecord(own["properties"]) || isRecord(own["additionalProperties"])) return new Set(["object"]);
  return own["items"] === undefined ? new Set() : new Set(["array"]);
}

function typeOfValue(value: unknown): string {
  if (Array.isArray(value)) return "array";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  return value === null ? "null" : typeof value;
}

const LOWER_BOUNDS = ["minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"];
const UPPER_BOUNDS = ["maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"];

function merged(a: FlatSchema, b: FlatSchema): FlatSchema {
  const properties = new Map(a.properties);
  for (const [name, schema] of b.properties) {
    const other = properties.get(name);
    properties.set(name, other === undefined || other === schema ? schema : { allOf: [other, schema] });
  }
  const keywords: Record<string, unknown> = { ...a.keywords };
  for (const [name, value] of Object.entries(b.keywords)) keywords[name] = narrower(name, keywords[name], value);
  return {
    types: a.types.size === 0 ? b.types : b.types.size === 0 ? a.types : common(a.types, b.types),
    properties,
    required: new Set([...a.required, ...b.required]),
    keywords,
    alternatives: Math.max(a.alternatives, b.alternatives),
    branch: a.branch ?? b.branch,
  };
}

function narrower(name: string, a: unknown, b: unknown): unknown {
  if (a === undefined || b === undefined) return a ?? b;
  if (typeof a === "number" && typeof b === "number") {
    if (LOWER_BOUNDS.includes(name)) return Math.max(a, b);
    if (UPPER_BOUNDS.includes(name)) return Math.min(a, b);
  }
  if (name === "enum" && Array.isArray(a) && Array.isArray(b)) {
    const both = a.filter((one) => b.includes(one));
    return both.length > 0 ? both : b;
  }
  if (name === "items") return { allOf: [a, b] };
  // The value of the second schema wins for all other keywords, except the title and the description.
  return name === "title" || name === "description" ? a : b;
}

function common(a: ReadonlySet<string>, b: ReadonlySet<string>): ReadonlySet<string> {
  const both = [...a].filter((one) => b.has(one) || (one === "integer" && b.has("number")));
  if (b.has("integer") && a.has("number")) both.push("integer");
  return both.length > 0 ? new Set(both) : b;
}
