import type { ErrorObject } from "ajv";
import { keysOf } from "../parse/pointer.ts";
import { quoted } from "../problem.ts";

/**
 * Describes the rule that a response body violates. The text contains no values of the body, and only names that occur in the OpenAPI description.
 * @param errors The errors of one validation, in the validator's order.
 * @param names The property names in the description.
 */
export function mismatchText(errors: readonly ErrorObject[], names: ReadonlySet<string>): string {
  const error = telling(errors);
  return `${shownPlace(error.instancePath, names)} ${ruleText(error)}`;
}

/**
 * Returns the cause of a violation in a shared schema: the schema, the field and the rule. Answers that use the same schema get the same cause.
 * Returns `undefined` if the broken rule is not in a shared schema.
 * @param origins Maps parts of schemas to the `$ref` of the shared schema that contains them.
 */
export function mismatchCause(
  errors: readonly ErrorObject[],
  names: ReadonlySet<string>,
  origins: WeakMap<object, string>,
): string | undefined {
  const error = telling(errors);
  const origin = error.parentSchema === undefined ? undefined : origins.get(error.parentSchema);
  // A property that is not described gets no cause. The name of the property may be data, so a cause must not contain it. But without the name,
  // different properties would have the same cause.
  if (origin === undefined || error.keyword === "additionalProperties" || error.keyword === "unevaluatedProperties") return undefined;
  const keys = keysOf(error.schemaPath.replace(/^#/, "")) ?? [];
  const field = keys.filter((key, at) => keys[at - 1] === "properties" && names.has(key)).join(".");
  return quoted(`${origin}${field === "" ? "" : `, ${field}`} ${ruleText(error)}`).slice(1, -1);
}

/**
 * Returns the validation error to show. If a schema has alternatives, returns the error that is deepest in the body, because the alternative with
 * this error is probably the intended one.
 */
function telling(errors: readonly ErrorObject[]): ErrorObject {
  const last = errors.at(-1)!;
  if (last.keyword !== "anyOf" && last.keyword !== "oneOf" && last.keyword !== "if") return last;
  const depth = ({ instancePath }: ErrorObject): number => instancePath.split("/").length;
  return errors.reduce((best, one) => (depth(one) > depth(best) ? one : best), last);
}

function shownPlace(pointer: string, names: ReadonlySet<string>): string {
  const keys = keysOf(pointer) ?? [];
  if (keys.length === 0) return "the body";
  const shown = keys.map((key) => (names.has(key) || /^\d{1,9}$/.test(key) ? key.replaceAll("~", "~0").replaceAll("/", "~1") : "*"));
  return quoted(`/${shown.join("/")}`).slice(1, -1);
}

function ruleText({ keyword, params }: ErrorObject): string {
  const given = params as Readonly<Record<string, unknown>>;
  const limit = String(given["limit"]);
  switch (keyword) {
    case "type":
      return `is not of type ${listText(given["type"])}`;
    case "required":
      return `lacks the property ${quoted(String(given["missingProperty"]))}`;
    case "dependentRequired":
      return `lacks the property ${quoted(String(given["missingProperty"]))}, which another property requires`;
    case "additionalProperties":
    case "unevaluatedProperties":
      return "has a property that is not described";
    case "additionalItems":
    case "items":
    case "unevaluatedItems":
      return "has more items than are described";
    case "enum":
    case "const":
      return "is not one of the described values";
    case "format":
      return `does not have the format ${quoted(String(given["format"]))}`;
    case "pattern":
      return `does not match the pattern ${quoted(String(given["pattern"]))}`;
    case "minimum":
    case "maximum":
    case "exclusiveMinimum":
    case "exclusiveMaximum":
      return `is not ${String(given["comparison"])} ${limit}`;
    case "multipleOf":
      return `is not a multiple of ${String(given["multipleOf"])}`;
    case "minLength":
    case "maxLength":
      return `has ${keyword === "minLength" ? "fewer" : "more"} than ${limit} characters`;
    case "minItems":
    case "maxItems":
      return `has ${keyword === "minItems" ? "fewer" : "more"} than ${limit} items`;
    case "minProperties":
    case "maxProperties":
      return `has ${keyword === "minProperties" ? "fewer" : "more"} than ${limit} properties`;
    case "uniqueItems":
      return "contains an item twice";
    case "anyOf":
      return "matches none of the alternatives (anyOf)";
    case "oneOf":
      return given["passingSchemas"] === null
        ? "matches none of the alternatives (oneOf)"
        : "matches more than one of the alternatives (oneOf)";
    case "not":
      return "matches a schema that it must not match (not)";
    case "false schema":
      return "is present, although the description allows no value there";
    default:
      return `does not satisfy ${quoted(keyword)}`;
  }
}

function listText(value: unknown): string {
  return Array.isArray(value) ? value.map(String).join(" or ") : String(value);
}
