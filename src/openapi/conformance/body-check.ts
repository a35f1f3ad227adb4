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
  /** The cause of the violation, if it is in a schema that several answers share. */
  readonly cause?: string | undefined;
  /** The reason why a part of the body could not be checked. Only set if no other violation was found. */
  readonly inconclusive?: string | undefined;
}

export type BodyCheck = (body: unknown) => BodyVerdict;

/** The validator of a schema, with its patterns. Nothing else is stored between bodies. */
interface Prepared {
  readonly judge: BodyCheck;
  readonly patterns: GuardedPatterns;
}

const tooLong = ({ body }: Limits): string => `its schema takes more than ${body / 1000} seconds, or refers to itself without end`;

/**
 * Returns a function that checks bodies against a schema. The validator is compiled at the first call.
 * The result for a body must not depend on earlier bodies, because lanes receive bodies in different orders. A body that is checked within the time
 * limit of one pattern needs no guard. Otherwise the check is repeated with a time limit for each pattern.
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
 * Prepares the validator of a schema.
 * @returns the reason as text if no validator can be prepared
 */
function prepared(description: ApiDescription, schema: Schema, limits: Limits): Prepared | string {
  const patterns = new GuardedPatterns(limits.pattern);
  const made = within(limits.body, () => {
    const { schema: whole, names, origins } = responseSchema(description, schema);
    const validate = compile(whole, patterns);
    // A pattern can decide whether a schema under `if` or `patternProperties` applies.
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

/** Keywords whose result depends on the results of nested keywords. */
const BY_OTHERS: ReadonlySet<string> = new Set(
  "not anyOf oneOf if contains propertyNames additionalProperties unevaluatedProperties unevaluatedItems discriminator".split(" "),
);

/**
 * Returns `true` if the body is invalid regardless of the patterns that timed out. That is the case if exactly one rule is broken and the rule has no
 * alternative.
 */
function isCertain(errors: readonly ErrorObject[]): boolean {
  return errors.length === 1 && !BY_OTHERS.has(errors[0]!.keyword);
}

function compile(schema: Schema, patterns: GuardedPatterns): ValidateFunction | undefined {
  const regExp = (source: string, flags: string): RegExp => patterns.guarded(pattern(source, flags));
  const ajv = new Ajv2020({
    strict: false,
    // Schema errors were already corrected when the description was read, so ajv does not check the schema again.
    validateSchema: false,
    addUsedSchema: false,
    logger: false,
    // Verbose errors contain the schema that they refer to.
    verbose: true,
    // A tolerance is needed, because 19.99 is not an exact multiple of 0.01 in binary floating point.
    multipleOfPrecision: 9,
    code: { regExp: Object.assign(regExp, { code: "" }) },
  });
  addFormats.default(ajv);
  try {
    return ajv.compile(typeof schema === "boolean" ? schema : { ...schema });
  } catch (error) {
    if (error instanceof RangeError) throw error;
    return undefined;
  }
}

/** Compiles a pattern in Unicode mode, as JSON Schema requires. Older patterns that are invalid in that mode are compiled without it. */
function pattern(source: string, flags: string): RegExp {
  try {
    return new RegExp(source, flags);
  } catch {
    return new RegExp(source);
  }
}

/**
 * Limits the time of a schema's patterns. While the guard is active, a pattern that exceeds the limit for a value counts as a match and is reported.
 * It is not tried again for that value. The state is reset afterwards, because the result for a body must not depend on earlier bodies.
 */
class GuardedPatterns {
  readonly #longest: number;
  /** The values for which each pattern timed out. `undefined` while no guard is active. */
  #slow: Map<RegExp, Set<string>> | undefined;
  #first: RegExp | undefined;

  /** @param longest The time limit in milliseconds for one pattern and one value. */
  constructor(longest: number) {
    this.#longest = longest;
  }

  /** Replaces the pattern's `test` method with the guarded one and returns the pattern. */
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

  /** Returns the first pattern that timed out under the guard, as a message. Returns `undefined` if none did. */
  why(): string | undefined {
    return this.#first && `the pattern ${quoted(this.#first.source)} takes more than ${this.#longest / 1000} seconds`;
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
