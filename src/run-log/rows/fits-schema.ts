import { readFileSync } from "node:fs";
import { packageRoot } from "../../model/code-root.ts";

/** The keywords of JSON Schema that the schema of results uses. */
interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly definitions?: Readonly<Record<string, Schema>>;
}

let whole: Schema | undefined;
const schemaOf = (): Schema => (whole ??= JSON.parse(readFileSync(new URL("seqqa.results.schema.json", packageRoot), "utf8")) as Schema);

/**
 * Returns the first field at which an object violates `seqqa.results.schema.json`, such as `explorations[0].seed`. Unknown fields are allowed. The
 * returned path contains no values of the object.
 * @returns `undefined` if the object fits the schema
 */
export function misfitOf(document: unknown): string | undefined {
  const path = misfit(document, schemaOf());
  return path === undefined ? undefined : path.replace(/^\./, "") || "the document";
}

/**
 * Returns the path of the violating field. The path is built only after a violation was found, so that checking a valid object creates no strings.
 */
function misfit(value: unknown, schema: Schema): string | undefined {
  const { $ref, type, anyOf, properties = {}, required = [], additionalProperties, items } = schema;
  if ($ref !== undefined) return misfit(value, schemaOf().definitions![$ref.replace("#/definitions/", "")]!);
  if (type !== undefined && ![type].flat().some((one) => isOf(value, one))) return "";
  if ("const" in schema && value !== schema.const) return "";
  if (schema.enum !== undefined && !schema.enum.includes(value)) return "";
  if (anyOf !== undefined && anyOf.every((one) => misfit(value, one) !== undefined)) return "";
  if (Array.isArray(value)) return items === undefined ? undefined : misfitOfItems(value, items);
  if (typeof value !== "object" || value === null) return undefined;
  const members = value as Readonly<Record<string, unknown>>;
  const missing = required.find((name) => members[name] === undefined);
  if (missing !== undefined) return `.${missing}`;
  for (const [name, member] of Object.entries(members)) {
    // Skip members that are undefined, because `JSON.stringify` leaves them out.
    if (member === undefined) continue;
    const isKnown = Object.hasOwn(properties, name);
    const found = isKnown
      ? misfit(member, properties[name]!)
      : typeof additionalProperties === "object"
        ? misfit(member, additionalProperties)
        : undefined;
    if (found !== undefined) return `.${isKnown ? name : "*"}${found}`;
  }
  return undefined;
}

function misfitOfItems(list: readonly unknown[], items: Schema): string | undefined {
  for (let at = 0; at < list.length; at++) {
    const found = misfit(list[at], items);
    if (found !== undefined) return `[${at}]${found}`;
  }
  return undefined;
}

function isOf(value: unknown, type: string): boolean {
  switch (type) {
    case "integer":
      return Number.isInteger(value);
    case "null":
      return value === null;
    case "array":
      return Array.isArray(value);
    case "object":
      return typeof value === "object" && value !== null && !Array.isArray(value);
    default:
      return typeof value === type;
  }
}
