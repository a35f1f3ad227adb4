import type { ErrorObject, ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { ApiDescription, Schema } from "../description.ts";
import { GuardedPatterns } from "./guarded-patterns.ts";
import { mismatchText } from "./mismatch-text.ts";
import { responseSchema } from "./response-schema.ts";
import { within } from "./time-limit.ts";

/** Milliseconds for one body, and for compiling its schema: a pattern, or alternatives within alternatives, can take time without end. */
const LONGEST = 3000;

export interface BodyVerdict {
  /** As `/items/0/id is not of type integer`. */
  readonly wrong?: string | undefined;
  /** What could not be judged, where nothing is wrong beside it. */
  readonly unjudged?: string | undefined;
}

export type BodyCheck = (body: unknown) => BodyVerdict;

/** How a body is judged, until it turns out that it takes too long. */
type Way = { readonly kind: "plain" | "guarded"; readonly check: BodyCheck } | { readonly kind: "none"; readonly why: string };

const TOO_LONG = `its schema takes more than ${LONGEST / 1000} seconds, or leads to itself without end`;

/**
 * Prepared when it is first asked. Where a body takes more time or stack than there is, its schema's patterns are looked at one by one from then on, each with a limit of its own; where that
 * takes too long, too, and where no validator takes the schema, nothing is judged, then or later.
 */
export function bodyCheck(description: ApiDescription, schema: Schema): BodyCheck {
  let way: Way | undefined;
  return (body) => {
    way ??= prepared("plain", description, schema);
    for (;;) {
      if (way.kind === "none") return { unjudged: way.why };
      const { kind, check }: Exclude<Way, { kind: "none" }> = way;
      const verdict = within(LONGEST, () => check(body));
      if (verdict !== undefined) return verdict;
      way = kind === "plain" ? prepared("guarded", description, schema) : { kind: "none", why: TOO_LONG };
    }
  };
}

function prepared(kind: "plain" | "guarded", description: ApiDescription, schema: Schema): Way {
  const patterns = kind === "guarded" ? new GuardedPatterns() : undefined;
  const made = within(LONGEST, () => {
    const { schema: whole, names } = responseSchema(description, schema);
    const validate = compile(whole, patterns);
    // What they ask for is broken, or not, by what a pattern says.
    const isConditional = /"(?:if|patternProperties)":/.test(JSON.stringify(whole));
    return { check: validate === undefined ? undefined : checkBy(validate, names, isConditional, patterns) };
  });
  if (made === undefined) return { kind: "none", why: TOO_LONG };
  return made.check === undefined ? { kind: "none", why: "no validator takes its schema" } : { kind, check: made.check };
}

function checkBy(
  validate: ValidateFunction,
  names: ReadonlySet<string>,
  isConditional: boolean,
  patterns: GuardedPatterns | undefined,
): BodyCheck {
  return (body) => {
    const missed = patterns?.missedBy ?? 0;
    const isValid = validate(body);
    const errors = validate.errors ?? [];
    const why = patterns?.why(missed);
    if (isValid || (why !== undefined && (isConditional || !isCertain(errors)))) return { unjudged: why };
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

function compile(schema: Schema, patterns: GuardedPatterns | undefined): ValidateFunction | undefined {
  const regExp = (source: string, flags: string): RegExp => {
    const made = pattern(source, flags);
    return patterns === undefined ? made : patterns.guarded(made);
  };
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
