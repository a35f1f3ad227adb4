import type { Schema } from "../operations/description.ts";
import { isPlain } from "../parse/plain.ts";
import { refOf, type References } from "./references.ts";

/**
 * Resolves the `$ref` of single schemas on demand. Replacing all references with their targets could make a description many times larger, or never
 * end.
 */
export class Resolver {
  readonly #references: References;
  readonly #joined = new WeakMap<object, Schema>();

  constructor(references: References) {
    this.#references = references;
  }

  resolve(schema: Schema): Schema {
    if (refOf(schema) === undefined) return typeof schema === "boolean" || isPlain(schema) ? schema : true;
    const end = this.#references.end(schema);
    if (typeof end === "boolean") return end;
    if (!isPlain(end)) return true;
    return this.#withBeside(schema as Readonly<Record<string, unknown>>, end);
  }

  /** Combines the target of a `$ref` with the keywords beside the `$ref`, which apply too since OpenAPI 3.1. */
  #withBeside(schema: Readonly<Record<string, unknown>>, end: Schema): Schema {
    if (!Object.keys(schema).some((key) => CONSTRAINS.has(key))) return end;
    let joined = this.#joined.get(schema);
    if (joined === undefined) {
      const { $ref: _, ...beside } = schema;
      this.#joined.set(schema, (joined = { allOf: [end, beside] }));
    }
    return joined;
  }
}

const CONSTRAINS: ReadonlySet<string> = new Set(
  [
    "type enum const format pattern properties required additionalProperties items prefixItems allOf anyOf oneOf not",
    "minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength minItems maxItems uniqueItems",
  ].flatMap((keywords) => keywords.split(" ")),
);
