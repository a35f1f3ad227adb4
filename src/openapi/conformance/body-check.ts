import addFormats from "ajv-formats";
import type { ErrorObject, ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import type { ApiDescription, Schema } from "../operations/description.ts";
import { mismatchCause, mismatchText } from "./mismatch-text.ts";
import { responseSchema } from "./response-schema.ts";
import { within, type Limits } from "./time-limit.ts";
import { quoted } from "../problem.ts";

export interface BodyVerdict {
  readonly wrong?: string | undefined;
  /**
   * The cause of the violation, see {@link mismatchCause}: violations with the same cause are reported together. Only set if the broken rule is in a
   * schema that several answers use.
   */
  readonly cause?: string | undefined;
  /** The reason that a part of the body could not be checked. Only set if the rest of the body has no violation. */
  readonly inconclusive?: string | undefined;
}

export type BodyCheck = (body: unknown) => BodyVerdict;

/** A compiled validator for response bodies, with the regular expressions of its schema. */
interface Prepared {
  readonly judge: BodyCheck;
  readonly patterns: GuardedPatterns;
}

const tooLong = ({ body }: Limits): string =>
  `checking the body takes more than ${body / 1000} seconds, or its schema refers to itself without end`;

/**
 * Returns a function that checks bodies against a schema. The schema is compiled at the first call. A body is first checked without a time limit for
 * single patterns, which is faster. If this check takes too long, it is repeated with a time limit for each pattern. The result for a body must not
 * depend on earlier bodies, because each lane receives bodies in a different order.
 */
export function bodyCheck(description: ApiDescription, schema: Schema, limits: Limits): BodyCheck {
  let made: Prepared | string | undefined;
  return (body) => {
    made ??= prepared(description, schema, limits);
    if (typeof made === "string") return { inconclusive: made };
    const { judge, patterns } = made;
    return (
      within(limits.pattern, () => judge(body)) ??
      patterns.guard(() => within(limits.body, () => judge(body))) ?? { inconclusive: tooLong(limits) }
    );
  };
}

/**
 * Compiles a schema to a validator.
 * @returns the reason as text if the schema cannot be compiled
 */
function prepared(description: ApiDescription, schema: Schema, limits: Limits): Prepared | string {
  const patterns = new GuardedPatterns(limits.pattern);
  const made = within(limits.body, () => {
    const { schema: whole, names, origins } = responseSchema(description, schema);
    const validate = compile(whole, patterns);
    // In a schema with `if` or `patternProperties`, a pattern can decide which other rules apply. If the pattern timed out, the errors of other rules
    // are uncertain.
    const isConditional = /"(?:if|patternProperties)":/.test(JSON.stringify(whole));
    return {
      judge:
        validate === undefined
          ? undefined
          : judgeBy(
              validate,
              (errors) => ({ wrong: mismatchText(errors, names), cause: mismatchCause(errors, names, origins) }),
              isConditional,
              patterns,
            ),
    };
  });
  if (made === undefined) return tooLong(limits);
  return made.judge === undefined ? "its schema cannot be compiled to a validator" : { judge: made.judge, patterns };
}

function judgeBy(
  validate: ValidateFunction,
  verdictOf: (errors: readonly ErrorObject[]) => BodyVerdict,
  isConditional: boolean,
  patterns: GuardedPatterns,
): BodyCheck {
  return (body) => {
    const isValid = validate(body);
    const errors = validate.errors ?? [];
    const why = patterns.why();
    if (isValid || (why !== undefined && (isConditional || !isCertain(errors)))) return { inconclusive: why };
    return verdictOf(errors);
  };
}

/** JSON Schema keywords whose result depends on the results of nested keywords, for example `not`. */
const BY_OTHERS: ReadonlySet<string> = new Set(
  "not anyOf oneOf if contains propertyNames additionalProperties unevaluatedProperties unevaluatedItems discriminator".split(" "),
);

/**
 * Returns `true` if the body would be invalid for every possible result of the patterns that timed out. This is certain only if there is exactly one
 * error, and its keyword does not depend on nested keywords.
 */
function isCertain(errors: readonly ErrorObject[]): boolean {
  return errors.length === 1 && !BY_OTHERS.has(errors[0]!.keyword);
}

function compile(schema: Schema, patterns: GuardedPatterns): ValidateFunction | undefined {
  const regExp = (source: string, flags: string): RegExp => patterns.guarded(pattern(source, flags));
  const ajv = new Ajv2020({
    strict: false,
    // Skip ajv's check of the schema, because errors in schemas were already corrected when the OpenAPI description was read.
    validateSchema: false,
    addUsedSchema: false,
    // Do not inline references: to decide on inlining, ajv scans each array twice, so an array inside n other arrays is scanned at least 2^n times.
    inlineRefs: false,
    logger: false,
    // With `verbose`, each error contains the schema that it refers to.
    verbose: true,
    // A tolerance is needed, because 19.99 is not an exact multiple of 0.01 in binary floating point.
    multipleOfPrecision: 9,
    code: { regExp: Object.assign(regExp, { code: "" }) },
  });
  addFormats.default(ajv);
  // Replace the package's check of URLs, because it refuses private addresses and domains without a dot, which often occur in URLs of a target under
  // test.
  ajv.addFormat("url", addFormats.default.get("uri"));
  ajv.addFormat("email", addFormats.default.get("email", "fast"));
  try {
    return ajv.compile(typeof schema === "boolean" ? schema : { ...schema });
  } catch (error) {
    if (error instanceof RangeError) throw error;
    return undefined;
  }
}

/**
 * Compiles a pattern in Unicode mode, as JSON Schema requires. Many older patterns are not valid in Unicode mode; such a pattern is compiled without
 * this mode.
 */
function pattern(source: string, flags: string): RegExp {
  try {
    return new RegExp(source, flags);
  } catch {
    return new RegExp(source);
  }
}

/**
 * The regular expressions of a schema. During a call of `guard`, each expression has a time limit. An expression that exceeds the limit for a text
 * counts as a match, and is not tried again for this text. At the end of `guard`, these results are forgotten, so that the result for a body does not
 * depend on earlier bodies.
 */
class GuardedPatterns {
  readonly #longest: number;
  /** For each pattern, the texts for which it exceeded the time limit. `undefined` outside of a call of `guard`. */
  #slow: Map<RegExp, Set<string>> | undefined;
  #first: RegExp | undefined;

  /** @param longest The time limit in milliseconds for matching one pattern against one text. */
  constructor(longest: number) {
    this.#longest = longest;
  }

  /** Adds the time limit to a pattern: replaces its method `test` and returns the same pattern. */
  guarded(pattern: RegExp): RegExp {
    return Object.assign(pattern, { test: (text: string): boolean => this.#test(pattern, text) });
  }

  guard<T>(call: () => T): T {
    this.#slow = new Map();
    this.#first = undefined;
    try {
      return call();
    } finally {
      this.#slow = undefined;
      this.#first = undefined;
    }
  }

  /** Returns a message about the first pattern that exceeded the time limit during `guard`. Returns `undefined` if no pattern did. */
  why(): string | undefined {
    return (
      this.#first &&
      `matching the pattern ${quoted(this.#first.source)} takes more than ${this.#longest / 1000} seconds, so the value was not checked against it`
    );
  }

  #test(pattern: RegExp, text: string): boolean {
    const matches = (): boolean => RegExp.prototype.test.call(pattern, text);
    if (this.#slow === undefined) return matches();
    let slow = this.#slow.get(pattern);
    if (slow?.has(text) === true) return true;
    const found = within(this.#longest, () => ({ matches: matches() }));
    if (found !== undefined) return found.matches;
    if (slow === undefined) this.#slow.set(pattern, (slow = new Set()));
    slow.add(text);
    this.#first ??= pattern;
    return true;
  }
}
