import { isPlain, own, type Plain } from "../parse/plain.ts";

const TYPES = new Set(["null", "boolean", "object", "array", "number", "string", "integer"]);
/** Maps common wrong names of JSON types to the right names. */
const MEANT: ReadonlyMap<string, string> = new Map([
  ["int", "integer"],
  ["int32", "integer"],
  ["int64", "integer"],
  ["long", "integer"],
  ["float", "number"],
  ["double", "number"],
  ["decimal", "number"],
  ["bool", "boolean"],
  ["str", "string"],
  ["text", "string"],
  ["date", "string"],
  ["datetime", "string"],
  ["date-time", "string"],
  ["uuid", "string"],
  ["file", "string"],
  ["map", "object"],
  ["list", "array"],
]);
const FORMATS: ReadonlyMap<string, string> = new Map([
  ["file", "binary"],
  ["date", "date"],
  ["datetime", "date-time"],
  ["date-time", "date-time"],
  ["uuid", "uuid"],
]);

const isSchema = (value: unknown): boolean => typeof value === "boolean" || isPlain(value);
const isCount = (value: unknown): boolean => Number.isInteger(value) && (value as number) >= 0;
const isSchemas = (value: unknown): boolean => Array.isArray(value) && value.length > 0 && (value as unknown[]).every(isSchema);
const isMapOfSchemas = (value: unknown): boolean => isPlain(value) && Object.values(value).every(isSchema);
const is =
  (type: string) =>
  (value: unknown): boolean =>
    typeof value === type;

/** For each keyword of JSON Schema, a test that its value must pass. Keywords that are not listed may have any value. */
const KEYWORDS: Readonly<Record<string, (value: unknown) => boolean>> = {
  $ref: is("string"),
  $id: is("string"),
  $anchor: is("string"),
  $dynamicRef: is("string"),
  $dynamicAnchor: is("string"),
  title: is("string"),
  description: is("string"),
  format: is("string"),
  pattern: isPattern,
  minimum: is("number"),
  maximum: is("number"),
  exclusiveMinimum: is("number"),
  exclusiveMaximum: is("number"),
  multipleOf: (value) => typeof value === "number" && value > 0,
  minLength: isCount,
  maxLength: isCount,
  minItems: isCount,
  maxItems: isCount,
  minProperties: isCount,
  maxProperties: isCount,
  minContains: isCount,
  maxContains: isCount,
  uniqueItems: is("boolean"),
  deprecated: is("boolean"),
  readOnly: is("boolean"),
  writeOnly: is("boolean"),
  enum: (value) => Array.isArray(value) && value.length > 0,
  examples: Array.isArray,
  required: (value) => Array.isArray(value) && (value as unknown[]).every(is("string")),
  dependentRequired: (value) =>
    isPlain(value) && Object.values(value).every((names) => Array.isArray(names) && (names as unknown[]).every(is("string"))),
  properties: isMapOfSchemas,
  patternProperties: (value) => isMapOfSchemas(value) && Object.keys(value as Plain).every(isPattern),
  dependentSchemas: isMapOfSchemas,
  definitions: isMapOfSchemas,
  $defs: isMapOfSchemas,
  items: isSchema,
  additionalProperties: isSchema,
  unevaluatedProperties: isSchema,
  unevaluatedItems: isSchema,
  propertyNames: isSchema,
  contains: isSchema,
  not: isSchema,
  if: isSchema,
  // oxlint-disable-next-line unicorn/no-thenable -- it is the name of a keyword
  then: isSchema,
  else: isSchema,
  prefixItems: isSchemas,
  allOf: isSchemas,
  anyOf: isSchemas,
  oneOf: isSchemas,
};

/** Keywords that contain or refer to other schemas. These schemas may refuse `null` even if the `type` beside the keyword allows `null`. */
const COMBINING = ["$ref", "allOf", "anyOf", "oneOf"];

/** Keywords that do not constrain a value, such as `description`. In every OpenAPI version they may be used beside a `$ref`. */
const ANNOTATIONS = new Set([
  "$ref",
  "title",
  "description",
  "summary",
  "default",
  "example",
  "examples",
  "deprecated",
  "readOnly",
  "writeOnly",
  "nullable",
]);

/**
 * Converts a schema of any OpenAPI version to JSON Schema 2020-12, in place. Rewrites `nullable` and the older forms of `exclusiveMinimum` and
 * tuples. A keyword whose value has a wrong type is corrected if its meaning is clear, else removed. Schemas inside this schema are not converted.
 * `nullable` stays in the schema if the schema has no type, or has a `$ref` or alternatives, because adding `null` to the type would not make such a
 * schema allow `null`.
 * @param old `true` for versions before 3.1, in which keywords beside a `$ref` have no effect.
 */
export function mendSchema(schema: Plain, old: boolean, warn: (sentence: string) => void): void {
  if (old && typeof own(schema, "$ref") === "string") {
    for (const key of Object.keys(schema)) if (!ANNOTATIONS.has(key) && !key.startsWith("x-")) delete schema[key];
  }
  mendExclusive(schema, "exclusiveMinimum", "minimum");
  mendExclusive(schema, "exclusiveMaximum", "maximum");
  mendTuple(schema);
  mendType(schema, warn);
  for (const key of Object.keys(schema)) mendKeyword(schema, key, warn);
  mendNullable(schema);
}

function mendKeyword(schema: Plain, key: string, warn: (sentence: string) => void): void {
  const fits = Object.hasOwn(KEYWORDS, key) ? KEYWORDS[key] : undefined;
  if (fits === undefined || fits(schema[key])) return;
  const mended = [...candidates(schema[key], key)].find(fits);
  // A boolean `required` in a property is valid in older drafts of JSON Schema, so it is removed without a warning.
  if (key !== "required" || typeof schema[key] !== "boolean") {
    warn(`The keyword ${key} of a schema has an invalid value, and is ${mended === undefined ? "left out" : "corrected"}`);
  }
  if (mended === undefined) delete schema[key];
  else schema[key] = mended;
}

function* candidates(value: unknown, key: string): Iterable<unknown> {
  if (typeof value === "string" && value.trim() !== "") yield Number(value);
  if (value === "true" || value === "false") yield value === "true";
  if (Array.isArray(value)) yield (value as unknown[]).filter((item) => isSchema(item) || (key === "required" && typeof item === "string"));
  else if (isPlain(value))
    yield Object.fromEntries(
      Object.entries(value).filter(([name, item]) => isSchema(item) && (key !== "patternProperties" || isPattern(name))),
    );
  // Try the value as the only item of a list, because the author may have forgotten the brackets. Leave a map under `examples` unchanged, because
  // outside of schemas, `examples` is a map.
  if (value !== null && !(key === "examples" && isPlain(value))) yield [value];
}

function mendExclusive(schema: Plain, exclusive: string, bound: string): void {
  const value = own(schema, exclusive);
  if (typeof value !== "boolean") return;
  delete schema[exclusive];
  if (!value || typeof own(schema, bound) !== "number") return;
  schema[exclusive] = schema[bound];
  delete schema[bound];
}

function mendTuple(schema: Plain): void {
  const items = own(schema, "items");
  if (!Array.isArray(items)) return;
  delete schema["items"];
  if (items.length > 0 && own(schema, "prefixItems") === undefined) schema["prefixItems"] = items;
  if (own(schema, "additionalItems") !== undefined) schema["items"] = schema["additionalItems"];
  delete schema["additionalItems"];
}

function mendType(schema: Plain, warn: (sentence: string) => void): void {
  if (!Object.hasOwn(schema, "type")) return;
  const written: readonly unknown[] = Array.isArray(schema["type"]) ? schema["type"] : [schema["type"]];
  const format = typeof written[0] === "string" ? FORMATS.get(written[0].toLowerCase()) : undefined;
  if (format !== undefined && own(schema, "format") === undefined) schema["format"] = format;
  const known = [...new Set(written.map(knownType))].filter((type) => type !== undefined);
  if (known.length === written.length && written.every((type, index) => type === known[index])) return;
  if (known.length === 0) delete schema["type"];
  else schema["type"] = known.length === 1 ? known[0] : known;
  if (!written.includes("file") && !written.includes("any"))
    warn("The type of a schema is not a type of JSON Schema, and is corrected or left out");
}

function knownType(type: unknown): string | undefined {
  if (typeof type !== "string") return undefined;
  return TYPES.has(type) ? type : (MEANT.get(type.toLowerCase()) ?? (TYPES.has(type.toLowerCase()) ? type.toLowerCase() : undefined));
}

function mendNullable(schema: Plain): void {
  const nullable = own(schema, "nullable") === true || own(schema, "x-nullable") === true;
  const type = own(schema, "type");
  const types: readonly unknown[] = Array.isArray(type) ? type : [type];
  if (!nullable) {
    delete schema["nullable"];
    return;
  }
  if (type === undefined || COMBINING.some((key) => Object.hasOwn(schema, key))) {
    schema["nullable"] = true;
    return;
  }
  delete schema["nullable"];
  if (!types.includes("null")) schema["type"] = [...types, "null"];
  const values = own(schema, "enum");
  if (Array.isArray(values) && !values.includes(null)) schema["enum"] = [...(values as unknown[]), null];
}

function isPattern(value: unknown): boolean {
  return typeof value === "string" && (compiles(value, "u") || compiles(value, ""));
}

function compiles(pattern: string, flags: string): boolean {
  try {
    return Boolean(new RegExp(pattern, flags));
  } catch {
    return false;
  }
}
