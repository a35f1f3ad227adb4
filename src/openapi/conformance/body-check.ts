import type { ErrorObject, ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { ApiDescription, Schema } from "../description.ts";
import { mismatchText } from "./mismatch-text.ts";
import { responseSchema } from "./response-schema.ts";
import { within } from "./time-limit.ts";

/** Milliseconds for one body, and for compiling its schema: a pattern, or alternatives within alternatives, can take time without end. */
const LONGEST = 3000;

/** What is wrong with a body, as `/items/0/id is not of type integer`; `undefined` where nothing is. */
export type BodyCheck = (body: unknown) => string | undefined;

/** Prepared when it is first asked. A schema that no validator takes, and one that takes more time or stack than there is, says nothing, then or later. */
export function bodyCheck(description: ApiDescription, schema: Schema): BodyCheck {
  let judge: BodyCheck | undefined;
  const nothing: BodyCheck = () => undefined;
  return (body) => {
    judge ??= compiled(description, schema) ?? nothing;
    const judged = judge;
    const outcome = within(LONGEST, () => ({ wrong: judged(body) }));
    if (outcome === undefined) judge = nothing;
    return outcome?.wrong;
  };
}

function compiled(description: ApiDescription, schema: Schema): BodyCheck | undefined {
  const made = within(LONGEST, () => {
    const { schema: whole, names } = responseSchema(description, schema);
    const validate = compile(whole);
    if (validate === undefined) return { check: undefined };
    const check: BodyCheck = (body) => (validate(body) ? undefined : mismatchText(validate.errors as readonly ErrorObject[], names));
    return { check };
  });
  return made?.check;
}

function compile(schema: Schema): ValidateFunction | undefined {
  const ajv = new Ajv2020({
    strict: false,
    // What is wrong in it was mended when it was read; the rest is the description's own affair.
    validateSchema: false,
    addUsedSchema: false,
    logger: false,
    // 19.99 is a multiple of 0.01, which it is not in binary.
    multipleOfPrecision: 9,
    code: { regExp: Object.assign(pattern, { code: "" }) },
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
