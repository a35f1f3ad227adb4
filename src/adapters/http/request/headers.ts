import { SeqqaError } from "../../../model/errors.ts";

/** RFC 9110, 5.6.2. */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** RFC 9110, 5.5: visible characters, space, tab and what was once Latin-1. Above all no CR, LF or NUL. */
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
/** These headers frame the message, and the connection sets them. Two opinions on where a request ends make request smuggling possible. */
const FRAMING: ReadonlySet<string> = new Set([
  "content-length",
  "transfer-encoding",
  "connection",
  "keep-alive",
  "upgrade",
  "expect",
  "te",
  "trailer",
]);

/**
 * Returns the name in lower case.
 * @throws SeqqaError `HEADER_INVALID`. The value is not quoted: it may be a secret.
 */
export function checkedHeader(name: string, value: string): string {
  if (typeof name !== "string" || !TOKEN.test(name)) {
    throw new SeqqaError("HEADER_INVALID", `${JSON.stringify(name)} is not a header name.`, {
      hint: "Header names are letters, digits and -.",
    });
  }
  const lower = name.toLowerCase();
  if (FRAMING.has(lower)) {
    throw new SeqqaError("HEADER_INVALID", `The header ${lower} cannot be set: the connection sets it itself.`, { hint: "Leave it out." });
  }
  if (typeof value !== "string" || !VALUE.test(value)) {
    const what =
      typeof value !== "string"
        ? `is not a string (${typeof value})`
        : /[\r\n]/.test(value)
          ? "contains a line break"
          : "contains a character that HTTP does not allow";
    throw new SeqqaError("HEADER_INVALID", `The value of the header ${lower} ${what}.`, {
      hint: "A line break in a header would begin another header or another request; encode the value, e.g. with encodeURIComponent.",
    });
  }
  return lower;
}

/** Returns the method in upper case. @throws SeqqaError `METHOD_INVALID`. */
export function checkedMethod(method: string): string {
  if (typeof method !== "string" || !TOKEN.test(method) || method.toUpperCase() === "CONNECT") {
    throw new SeqqaError("METHOD_INVALID", `${JSON.stringify(method)} is not a method that can be sent.`, {
      hint: 'Use "GET", "POST", ...',
    });
  }
  return method.toUpperCase();
}

/** Returns the headers with names in lower case, every pair checked. */
export function checkedHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const checked: Record<string, string> = {};
  for (const name of Object.keys(headers)) {
    const value = headers[name];
    if (value !== undefined) checked[checkedHeader(name, value)] = value;
  }
  return checked;
}
