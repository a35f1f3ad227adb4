import type { ApiDescription, Schema } from "../operations/description.ts";
import { discriminatorOf, mappedTo, namesOf } from "../operations/discriminator.ts";
import { entriesOf, isPlain, listOf, own, put, type Plain } from "../parse/plain.ts";
import { References, refOf } from "../normalise/references.ts";

/** A schema that a validator can use without the rest of the description. Its `$defs` contains all schemas that it refers to. */
export interface ResponseSchema {
  readonly schema: Schema;
  /** The property names in the schema. Messages show no other names, because a name in a body may be data. */
  readonly names: ReadonlySet<string>;
  /** Maps parts of the schema to the `$ref` of the shared schema that contains the part. */
  readonly origins: WeakMap<object, string>;
}

const ASSERTIONS = [
  "type enum const format pattern required dependentRequired multipleOf minimum maximum exclusiveMinimum exclusiveMaximum",
  "minLength maxLength minItems maxItems uniqueItems minContains maxContains minProperties maxProperties",
].flatMap((keywords) => keywords.split(" "));
const ONE = [
  "additionalProperties",
  "unevaluatedProperties",
  "unevaluatedItems",
  "propertyNames",
  "contains",
  "items",
  "not",
  "if",
  "then",
  "else",
];
const LISTS = ["prefixItems", "allOf", "anyOf", "oneOf"];
const MAPS = ["properties", "patternProperties", "dependentSchemas"];

/** Returns a schema for the validation of a response body. `writeOnly` properties are not required, because responses do not contain them. */
export function responseSchema(description: ApiDescription, schema: Schema): ResponseSchema {
  return new Copy(description).whole(schema);
}

class Copy {
  readonly #references: References;
  readonly #names = new Set<string>();
  readonly #origins = new WeakMap<object, string>();
  #within: string | undefined;
  /** Maps the `$ref` of each schema to its name in `$defs`. */
  readonly #defs = new Map<string, string>();
  readonly #waiting: { readonly name: string; readonly ref: string }[] = [];

  constructor({ document }: ApiDescription) {
    this.#references = new References(document);
  }

  whole(schema: Schema): ResponseSchema {
    const copy = this.#copied(schema, new Set());
    const defs: Plain = {};
    for (let next = this.#waiting.pop(); next !== undefined; next = this.#waiting.pop()) {
      this.#within = next.ref;
      put(defs, next.name, this.#copied(this.#references.target(next.ref), new Set()));
    }
    return { schema: typeof copy === "boolean" ? copy : { ...copy, $defs: defs }, names: this.#names, origins: this.#origins };
  }

  /**
   * Returns a copy of a schema or of a value inside a schema.
   * @param written The names of `writeOnly` properties that the enclosing schema declares.
   */
  #copied(value: unknown, written: ReadonlySet<string>): Schema {
    if (!isPlain(value)) return value !== false;
    const copy: Plain = {};
    if (this.#within !== undefined) this.#origins.set(copy, this.#within);
    const writeOnly = new Set([...written, ...this.#writeOnly(value, new Set())]);
    const ref = refOf(value);
    if (ref !== undefined) copy["$ref"] = `#/$defs/${this.#def(ref)}`;
    for (const key of ASSERTIONS) if (Object.hasOwn(value, key)) copy[key] = value[key];
    if (writeOnly.size > 0 && Array.isArray(copy["required"]))
      copy["required"] = (copy["required"] as unknown[]).filter((name) => !writeOnly.has(String(name)));
    for (const key of ONE) if (Object.hasOwn(value, key)) copy[key] = this.#copied(value[key], new Set());
    for (const key of LISTS)
      if (Object.hasOwn(value, key))
        copy[key] = listOf(value[key]).map((item) => this.#copied(item, key === "allOf" ? writeOnly : new Set()));
    for (const key of MAPS) if (Object.hasOwn(value, key)) copy[key] = this.#map(key, value[key]);
    const chosen = discriminated(value, copy);
    return own(value, "nullable") === true ? { anyOf: [{ type: "null" }, chosen] } : chosen;
  }

  #map(key: string, value: unknown): Plain {
    const copy: Plain = {};
    for (const [name, schema] of entriesOf(value)) {
      if (key === "properties") this.#names.add(name);
      put(copy, name, this.#copied(schema, new Set()));
    }
    return copy;
  }

  #def(ref: string): string {
    let name = this.#defs.get(ref);
    if (name === undefined) {
      name = `d${this.#defs.size}`;
      this.#defs.set(ref, name);
      this.#waiting.push({ name, ref });
    }
    return name;
  }

  /** Returns the names of the `writeOnly` properties of a schema, including the properties of schemas under its `allOf` and `$ref`. */
  #writeOnly(value: unknown, seen: Set<unknown>): readonly string[] {
    if (!isPlain(value) || seen.has(value)) return [];
    seen.add(value);
    const ofOwn = entriesOf(own(value, "properties")).flatMap(([name, schema]) => (this.#isWriteOnly(schema) ? [name] : []));
    const ref = refOf(value);
    const parts = [...listOf(own(value, "allOf")), ...(ref === undefined ? [] : [this.#references.target(ref)])];
    return [...ofOwn, ...parts.flatMap((part) => this.#writeOnly(part, seen))];
  }

  #isWriteOnly(schema: unknown): boolean {
    if (!isPlain(schema)) return false;
    if (own(schema, "writeOnly") === true) return true;
    const end = refOf(schema) === undefined ? undefined : this.#references.object(schema);
    return end !== undefined && own(end, "writeOnly") === true;
  }
}

/**
 * Rewrites a schema with a `discriminator`, because the validator does not support it. In the rewritten schema, the discriminator property must have
 * a value that selects the alternative: a name in the mapping, or the last part of the `$ref`. A schema without alternatives is returned unchanged.
 * @param written The schema in the OpenAPI description.
 * @param copy The copy of `written`.
 */
function discriminated(written: Plain, copy: Plain): Plain {
  const discriminator = discriminatorOf(written);
  const key = ["oneOf", "anyOf"].find((name) => Array.isArray(own(written, name)));
  if (discriminator === undefined || key === undefined) return copy;
  const { property, mapping } = discriminator;
  // A mapping whose entries refer to none of this schema's alternatives is probably wrong. It is then ignored, and any value of the property is
  // allowed.
  const isUnderstood = mapping.length === 0 || listOf(written[key]).some((branch) => mappedTo(refOf(branch), discriminator).length > 0);
  const branches = listOf(written[key]).map((branch, index) => {
    const ref = refOf(branch);
    const schema = listOf(copy[key])[index];
    const names = isUnderstood ? namesOf(ref, discriminator) : [];
    // If no value of the property selects the alternative, only the rules of the alternative itself apply.
    return names.length === 0 ? schema : { allOf: [schema, { properties: { [property]: { enum: names } }, required: [property] }] };
  });
  const { [key]: _, ...others } = copy;
  // `oneOf` becomes `anyOf`, because the rewritten alternatives may overlap, for example if the discriminator does not name one of them.
  return Object.hasOwn(others, "anyOf")
    ? { ...others, allOf: [...listOf(own(others, "allOf")), { anyOf: branches }] }
    : { ...others, anyOf: branches };
}
