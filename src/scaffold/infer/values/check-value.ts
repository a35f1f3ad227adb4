import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { Schema } from "../../../openapi/operations/description.ts";
import type { Json } from "../plan.ts";
import { isRecord, type Schemas } from "./schemas.ts";

/** Schema keywords that are copied unchanged to the validator. `$id` and `$anchor` are not copied, because two schemas may have the same `$id`. */
const PLAIN = (
  "type enum const multipleOf maximum exclusiveMaximum minimum exclusiveMinimum maxLength minLength pattern format maxItems minItems uniqueItems maxContains minContains " +
  "maxProperties minProperties dependentRequired"
).split(" ");
const ONE = "items additionalProperties not if then else contains propertyNames unevaluatedProperties unevaluatedItems".split(" ");
const LISTS = ["allOf", "anyOf", "oneOf", "prefixItems"];
const MAPS = ["properties", "patternProperties", "dependentSchemas"];

/** The maximum length of a text that is matched against a pattern if matching may take exponential time. */
const SHORT = 12;
const DEEPEST = 100;

export class Checker {
  readonly #schemas: Schemas;
  readonly #references = new Map<string, string>();
  readonly #ajv: Ajv2020 = new Ajv2020({
    strict: false,
    logger: false,
    validateSchema: false,
    addUsedSchema: false,
    // Do not inline references: to decide on inlining, ajv scans each array twice, so an array inside n other arrays is scanned at least 2^n times.
    inlineRefs: false,
    code: { regExp: guardedRegExp },
  });

  constructor(schemas: Schemas) {
    this.#schemas = schemas;
    addFormats.default(this.#ajv);
  }

  /**
   * Returns a short description of the first error, or `undefined` if the value fits the schema. A schema that cannot be compiled counts as an error.
   */
  problem(schema: Schema, value: Json): string | undefined {
    try {
      const validate = this.#ajv.compile(this.#copied(schema, 0) as object);
      if (validate(value)) return undefined;
      const error = validate.errors?.[0];
      return error === undefined
        ? "the value does not match its schema"
        : `${error.instancePath === "" ? "it" : error.instancePath.slice(1)} ${error.message ?? error.keyword}`;
    } catch {
      return "seqqa cannot check the schema";
    }
  }

  /**
   * Copies the keywords of a schema that constrain values. References get generated names. Read-only properties become optional, because clients do
   * not send them.
   */
  #copied(schema: unknown, depth: number): unknown {
    if (!isRecord(schema)) return schema !== false;
    if (depth > DEEPEST) return true;
    const copy: Record<string, unknown> = {};
    if (typeof schema["$ref"] === "string") copy["$ref"] = this.#reference(schema["$ref"]);
    for (const name of PLAIN) if (schema[name] !== undefined) copy[name] = schema[name];
    for (const name of ONE) if (schema[name] !== undefined) copy[name] = this.#copied(schema[name], depth + 1);
    for (const name of LISTS) {
      const list = schema[name];
      // With a discriminator, `oneOf` becomes `anyOf`, because a value may also match alternatives that the discriminator does not select.
      const as = name === "oneOf" && isRecord(schema["discriminator"]) && copy["anyOf"] === undefined ? "anyOf" : name;
      if (Array.isArray(list) && list.length > 0) copy[as] = list.map((one) => this.#copied(one, depth + 1));
    }
    for (const name of MAPS) {
      const map = schema[name];
      if (isRecord(map)) copy[name] = Object.fromEntries(Object.entries(map).map(([key, one]) => [key, this.#copied(one, depth + 1)]));
    }
    if (Array.isArray(schema["required"])) copy["required"] = this.#toSend(schema);
    return schema["nullable"] === true ? { anyOf: [{ type: "null" }, copy] } : copy;
  }

  #toSend(schema: Readonly<Record<string, unknown>>): readonly string[] {
    const { required, properties } = this.#schemas.flat(schema);
    const own = new Set(schema["required"] as unknown[]);
    return [...required].filter((name) => own.has(name) && this.#schemas.flat(properties.get(name)).keywords["readOnly"] !== true);
  }

  #reference(pointer: string): string {
    let id = this.#references.get(pointer);
    if (id === undefined) {
      id = `seqqa:${this.#references.size}`;
      // Store the id before the schema is copied, because the schema may contain a reference to itself.
      this.#references.set(pointer, id);
      this.#ajv.addSchema(this.#copied(this.#schemas.resolved({ $ref: pointer }), 0) as object, id);
    }
    return id;
  }
}

const guardedRegExp = Object.assign(
  (pattern: string, flags: string) => {
    const expression = new RegExp(pattern, flags);
    const risky = canTakeForEver(pattern);
    return {
      test: (text: string): boolean => (risky && text.length > SHORT) || expression.test(text),
      // ajv uses this text as the key when it caches compiled patterns.
      toString: (): string => String(expression),
    };
  },
  { code: "new RegExp" },
);

/** Returns `true` if matching a pattern can take exponential time, because it contains a repetition or alternatives inside a repetition. */
function canTakeForEver(pattern: string): boolean {
  const plain = pattern.replace(/\\./gs, "x").replace(/\[[^\]]*\]/g, "x");
  return /\([^()]*(?:[*+|]|\{\d*,\d*\})[^()]*\)(?:[*+]|\{\d*,)/.test(plain) || /\)[*+{][^()]*\)[*+{]/.test(plain) || plain.length > 500;
}
