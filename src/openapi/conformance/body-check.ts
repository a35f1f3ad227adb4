import type { ErrorObject, ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { ApiDescription, Schema } from "../operations/description.ts";
import { GuardedPatterns } from "./guarded-patterns.ts";
import { mismatchText } from "./mismatch-text.ts";
import { responseSchema } from "./response-schema.ts";
import { within, type Limits } from "./time-limit.ts";

export interface BodyVerdict {
  /** As `/items/0/id is not of type integer`. */
  readonly wrong?: string | undefined;
  /** What could not be judged, where nothing is wrong beside it. */
  readonly inconclusive?: string | undefined;
}

export type BodyCheck = (body: unknown) => BodyVerdict;

/** What is made of a schema once: the only thing that is remembered. */
interface Prepared {
  readonly judge: BodyCheck;
  readonly patterns: GuardedPatterns;
}

const tooLong = ({ body }: Limits): string => `its schema takes more than ${body / 1000} seconds, or leads to itself without end`;

/**
 * Prepared when it is first asked. Each body is judged by itself, whatever was judged before it: lanes meet bodies in different orders, and all of them are to come to the same. As it is within
 * the time of one pattern, since no pattern took longer then; else with each pattern's time looked at one by one.
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

/** @returns why not, where no validator can be had of it */
function prepared(description: ApiDescription, schema: Schema, limits: Limits): Prepared | string {
  const patterns = new GuardedPatterns(limits.pattern);
  const made = within(limits.body, () => {
    const { schema: whole, names } = responseSchema(description, schema);
    const validate = compile(whole, patterns);
    // What they ask for is broken, or not, by what a pattern says.
    const isConditional = /"(?:if|patternProperties)":/.test(JSON.stringify(whole));
    return { judge: validate === undefined ? undefined : judgeBy(validate, names, isConditional, patterns) };
  });
  if (made === undefined) return tooLong(limits);
  return made.judge === undefined ? "no validator takes its schema" : { judge: made.judge, patterns };
}

function judgeBy(validate: ValidateFunction, names: ReadonlySet<string>, isConditional: boolean, patterns: GuardedPatterns): BodyCheck {
  return (body) => {
    const isValid = validate(body);
    const errors = validate.errors ?? [];
    const why = patterns.why();
    if (isValid || (why !== undefined && (isConditional || !isCertain(errors)))) return { inconclusive: why };
    return { wrong: mismatchText(errors, names) };
  };
}

/** Keywords that hold or not by what others within them say. */
const BY_OTHERS: ReadonlySet<string> = new Set(
  "not anyOf oneOf if contains propertyNames additionalProperties unevaluatedProperties unevaluatedItems discriminator".split(" "),
);

/** Whether something is wrong whatever a pattern that was not judged would say: a single rule that is broken, with no alternative to it. */
function isCertain(errors: readonly ErrorObject[]): boolean {
  return errors.length === 1 && !BY_OTHERS.has(errors[0]!.keyword);
}

function compile(schema: Schema, patterns: GuardedPatterns): ValidateFunction | undefined {
  const regExp = (source: string, flags: string): RegExp => patterns.guarded(pattern(source, flags));
  const ajv = new Ajv2020({
    strict: false,
    // What is wrong in it was mended when it was read; the rest is the description's own affair.
    validateSchema: false,
    addUsedSchema: false,
    logger: false,
    // 19.99 is a multiple of 0.01, which it is not in binary.
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

/** By the rules of Unicode where it keeps to them, as JSON Schema has it; older ones are not written so. */
function pattern(source: string, flags: string): RegExp {
  try {
    return new RegExp(source, flags);
  } catch {
    return new RegExp(source);
  }
}
