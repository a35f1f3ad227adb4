import type { RequestOptions } from "../../../model/http/client.ts";
import { SeqqaError } from "../../../model/errors.ts";

export interface EncodedBody {
  readonly bytes: string | Uint8Array;
  /** The content type of the encoding; `undefined` if the user passed the raw body. */
  readonly contentType: string | undefined;
  /** The text that reports show for the body. Absent if reports show the bytes, decoded as UTF-8. */
  readonly shown?: string;
}

/**
 * Encodes the body that the options describe.
 * @throws SeqqaError `BODY_INVALID` if the options contain several bodies, or a value that cannot be serialized as JSON or as a form field
 */
export function encodeBody(options: RequestOptions): EncodedBody | undefined {
  const { json, form, body } = options;
  if (options.multipart !== undefined && (json !== undefined || form !== undefined || body !== undefined)) throw tooMany();
  if (json !== undefined) {
    if (form !== undefined || body !== undefined) throw tooMany();
    return { bytes: jsonText(json), contentType: "application/json" };
  }
  if (form !== undefined) {
    if (body !== undefined) throw tooMany();
    const pairs = new URLSearchParams();
    for (const name of Object.keys(form)) pairs.append(name, fieldText(name, form[name]));
    return { bytes: pairs.toString(), contentType: "application/x-www-form-urlencoded" };
  }
  if (body === undefined) return undefined;
  if (typeof body !== "string" && !(body instanceof Uint8Array)) {
    throw new SeqqaError("BODY_INVALID", "The option body of a request is neither a string nor a Uint8Array.", {
      hint: "To send an object, use the option json.",
    });
  }
  return { bytes: body, contentType: undefined };
}

/**
 * Returns the value of a form field as text. @throws SeqqaError `BODY_INVALID` for `null`, `undefined` and objects. Their types are excluded, but
 * values from JSON or a database can have such types at run time.
 */
function fieldText(name: string, value: unknown): string {
  const isObject = typeof value === "object" && !Array.isArray(value);
  if (value !== undefined && !isObject) return String(value as string);
  const got = value === undefined || value === null ? String(value) : "an object";
  throw new SeqqaError(
    "BODY_INVALID",
    `The form field ${JSON.stringify(name)} of a request is ${got}, but must be a string, a number or a boolean.`,
    { hint: "Leave the field out of the form, or pass a string. To send an object, use the option json." },
  );
}

export function bodyText(body: string | Uint8Array | undefined): string | undefined {
  return typeof body === "object" ? Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString("utf8") : body;
}

function jsonText(value: unknown): string {
  let text: string | undefined;
  let cause: unknown;
  try {
    text = JSON.stringify(value) as string | undefined;
  } catch (error) {
    cause = error;
  }
  if (text !== undefined) return text;
  const why = cause instanceof Error ? (cause.message.split("\n")[0] ?? "") : `it is a ${typeof value}`;
  throw new SeqqaError("BODY_INVALID", `The option json of a request cannot be written as JSON: ${why}.`, {
    hint: "Pass only objects, lists, strings, numbers, booleans and null, without circular references.",
    cause,
  });
}

function tooMany(): SeqqaError {
  return new SeqqaError("BODY_INVALID", "A request has more than one of the options json, form, multipart and body.", {
    hint: "Pass only one of these options.",
  });
}
