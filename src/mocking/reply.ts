import { SeqqaError } from "../model/errors.ts";

/** Options of a predefined reply. By default a reply has status 200 and the content type of its body. */
export interface ReplyOptions {
  /** The HTTP status, from 200 to 599. Default: 200. */
  readonly status?: number;
  /** The headers of the reply. Default: only the content type of the body. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A predefined reply in the form in which the client receives it, as plain data. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The values of all `Set-Cookie` headers, one entry for each header. */
  readonly cookies: readonly string[];
  readonly text: string;
}

/**
 * Creates a predefined reply. A string becomes a text, `undefined` an empty body, and every other value JSON. The value is converted to JSON
 * immediately, so changing the value later does not change the reply.
 * @throws SeqqaError `REPLY_INVALID`
 */
export function reply(body: unknown, { status = 200, headers = {} }: ReplyOptions): Reply {
  if (!Number.isInteger(status) || status < 200 || status > 599) {
    throw invalid(`The status of a reply of a mock or stub is ${String(status)}, but must be an integer from 200 to 599.`);
  }
  const lower: Record<string, string> = {};
  const cookies: string[] = [];
  for (const [name, value] of Object.entries(headers)) {
    lower[name.toLowerCase()] = String(value);
    if (name.toLowerCase() === "set-cookie") cookies.push(String(value));
  }
  if (body === undefined) return { status, headers: lower, cookies, text: "" };
  const isText = typeof body === "string";
  const type = isText ? "text/plain;charset=UTF-8" : "application/json";
  return { status, headers: { "content-type": type, ...lower }, cookies, text: isText ? body : jsonText(body) };
}

function jsonText(body: unknown): string {
  let text: string | undefined;
  let cause: unknown;
  try {
    text = JSON.stringify(body) as string | undefined;
  } catch (error) {
    cause = error;
  }
  if (text !== undefined) return text;
  const why = cause instanceof Error ? (cause.message.split("\n")[0] ?? "") : `it is a ${typeof body}`;
  throw invalid(`The body of a reply of a mock or stub cannot be written as JSON: ${why}.`, cause);
}

function invalid(message: string, cause?: unknown): SeqqaError {
  return new SeqqaError("REPLY_INVALID", message, {
    exitStatus: 2,
    hint: "Pass a body of plain data and a status, for example respond({ id: 1 }, { status: 201 }).",
    cause,
  });
}
