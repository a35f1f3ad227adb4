import addFormats from "ajv-formats";
import type { ErrorObject, ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import type { ApiDescription, Schema } from "../operations/description.ts";
import { mismatchCause, mismatchText } from "./mismatch-text.ts";
import { responseSchema } from "./response-schema.ts";
import { within, type Limits } from "./time-limit.ts";
import { quoted } from "../problem.ts";

export interface BodyVerdict {
  /** The violation, such as `/items/0/id is not of type integer`. */
  readonly wrong?: string | undefined;
  /** The cause of the violation, if it is in a schema that several answers share. */
  readonly cause?: string | undefined;
  /** The part that could not be judged, if nothing else is wrong. */
  readonly inconclusive?: string | undefined;
}

export type BodyCheck = (body: unknown) => BodyVerdict;

/** The validator of a schema, with its patterns. Nothing else is remembered between bodies. */
interface Prepared {
  readonly judge: BodyCheck;
  readonly patterns: GuardedPatterns;
}

const tooLong = ({ body }: Limits): string => `its schema takes more than ${body / 1000} seconds, or refers to itself without end`;

/**
 * Returns a check of bodies; it is prepared at the first call. Each body is judged by itself: lanes meet bodies in different orders, and all of them
 * must have the same result. A body that is judged within the time of one pattern needs no guard, since no pattern can have taken longer; else the
 * time of each pattern is limited.
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

/** Prepares the validator of a schema. @returns the reason, if there is no validator for it */
function prepared(description: ApiDescription, schema: Schema, limits: Limits): Prepared | string {
  const patterns = new GuardedPatterns(limits.pattern);
  const made = within(limits.body, () => {
    const { schema: whole, names, origins } = responseSchema(description, schema);
    const validate = compile(whole, patterns);
    // A pattern decides whether a schema under `if` or `patternProperties` applies.
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

/** Keywords whose result depends on the results of keywords within them. */
const BY_OTHERS: ReadonlySet<string> = new Set(
  "not anyOf oneOf if contains propertyNames additionalProperties unevaluatedProperties unevaluatedItems discriminator".split(" "),
);

/** Returns `true` if the body is wrong whatever an unjudged pattern would say: a single rule is broken, with no alternative to it. */
function isCertain(errors: readonly ErrorObject[]): boolean {
  return errors.length === 1 && !BY_OTHERS.has(errors[0]!.keyword);
}

function compile(schema: Schema, patterns: GuardedPatterns): ValidateFunction | undefined {
  const regExp = (source: string, flags: string): RegExp => patterns.guarded(pattern(source, flags));
  const ajv = new Ajv2020({
    strict: false,
    // Errors in the schema were mended when it was read; the rest is the description's own responsibility.
    validateSchema: false,
    addUsedSchema: false,
    logger: false,
    // Errors name the schema that they are about.
    verbose: true,
    // 19.99 is a multiple of 0.01, but not in binary floating point.
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

/** Makes a pattern in Unicode mode, as JSON Schema requires; an older pattern that is invalid in that mode is made without it. */
function pattern(source: string, flags: string): RegExp {
  try {
    return new RegExp(source, flags);
  } catch {
    return new RegExp(source);
  }
}

/**
 * Guards patterns of a schema that may take endless time. Under the guard, a pattern that takes too long for a value counts as a match, is not tried
 * again for that value, and is reported. Nothing of it outlives the guard: the verdict on a body must not depend on the bodies before it.
 */
class GuardedPatterns {
  readonly #longest: number;
  /** The values that each pattern takes too long for; `undefined` without a guard. */
  #slow: Map<RegExp, Set<string>> | undefined;
  #first: RegExp | undefined;

  /** @param longest Milliseconds that one pattern may take for one value. */
  constructor(longest: number) {
    this.#longest = longest;
  }

  /** Returns the pattern in the form that a validator uses. */
  guarded(pattern: RegExp): RegExp {
    return Object.assign(pattern, { test: (text: string): boolean => this.#test(pattern, text) });
  }

  /** Guards patterns until the call returns. */
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

  /** Returns the reason why something was not judged under the guard so far; `undefined` if everything was. */
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
