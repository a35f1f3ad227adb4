import { MODULE_PATH, type Field, type NumberSpec, type SectionSpec, type Spec } from "./spec.ts";
import { TABLE } from "./table.ts";

type Schema = Readonly<Record<string, unknown>>;

/**
 * The schema of references such as `${NAME}`. Each key with a single value accepts a reference, because an editor cannot know the value of the
 * variable.
 */
const REFERENCE: Schema = { type: "string", pattern: "\\$\\{" };
const SAFE = Number.MAX_SAFE_INTEGER;

/**
 * Returns the JSON Schema (draft 07) of `seqqa.yaml`, for editors. Draft 07 is the version that editors support best. The schema checks keys and
 * types, but not contradictions between keys.
 */
export function jsonSchema(): Schema {
  return { $schema: "http://json-schema.org/draft-07/schema#", title: "seqqa.yaml", ...ofSection(TABLE) };
}

function ofSection(section: SectionSpec): Schema {
  const required = Object.entries(section.fields).flatMap(([name, field]) => (field.required === true ? [name] : []));
  return {
    type: "object",
    additionalProperties: false,
    properties: Object.fromEntries(Object.entries(section.fields).map(([name, field]) => [name, ofField(field)])),
    ...(required.length === 0 ? {} : { required }),
  };
}

function ofField(field: Field): Schema {
  return { description: field.description, ...ofSpec(field.spec), ...(field.default === undefined ? {} : { default: field.default }) };
}

function ofSpec(spec: Spec): Schema {
  switch (spec.kind) {
    case "boolean":
      return { anyOf: [{ type: "boolean" }, REFERENCE] };
    case "integer":
    case "number":
      return { anyOf: [{ type: spec.kind, ...bounds(spec) }, REFERENCE] };
    case "seconds":
      return {
        anyOf: [
          { type: "number", ...bounds(spec) },
          { type: "string", pattern: "^\\s*(\\d+\\.?\\d*|\\.\\d+)\\s*(ms|s|m|h)?\\s*$" },
          REFERENCE,
        ],
      };
    case "text":
      return spec.pattern === undefined
        ? { type: "string", minLength: 1 }
        : { anyOf: [{ type: "string", pattern: spec.pattern.is.source }, REFERENCE] };
    case "url":
      return {
        anyOf: [
          { type: "string", pattern: spec.freeWith !== undefined ? "^[a-zA-Z][a-zA-Z0-9+.-]*:" : `^(${spec.schemes.join("|")}):` },
          REFERENCE,
        ],
      };
    case "choice":
      return {
        anyOf: [
          { enum: spellings([...spec.choices, ...Object.keys(spec.aliases ?? {})]) },
          ...(spec.orModule === true ? [{ type: "string", pattern: MODULE_PATH.source }] : []),
          REFERENCE,
        ],
      };
    case "loose":
      return { type: ["string", "number", "boolean"] };
    case "any":
      return {};
    case "list":
      return { type: "array", items: ofSpec(spec.of) };
    case "map":
      return { type: "object", propertyNames: { pattern: spec.names.source }, additionalProperties: ofSpec(spec.of) };
    case "section":
      return ofSection(spec);
    case "either":
      return { anyOf: spec.of.map(ofSpec) };
  }
}

/** Returns the usual spellings of each word, for the JSON Schema: as given, with `-` instead of `_`, and in upper case. */
function spellings(words: readonly string[]): readonly string[] {
  return [...new Set(words.flatMap((word) => [word, word.replaceAll("_", "-"), word.toUpperCase()]))];
}

function bounds(spec: NumberSpec): Schema {
  return {
    ...(spec.min === undefined || spec.min === -SAFE ? {} : { minimum: spec.min }),
    ...(spec.above === undefined ? {} : { exclusiveMinimum: spec.above }),
    ...(spec.max === undefined || spec.max === SAFE ? {} : { maximum: spec.max }),
  };
}
