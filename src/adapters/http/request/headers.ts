import { SeqqaError } from "../../../model/errors.ts";

/** The syntax of header names and methods (`token` in RFC 9110, section 5.6.2). */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** The syntax of a header value (RFC 9110, section 5.5): visible characters, space, tab and bytes above 0x7f. It excludes CR, LF and NUL. */
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
/** Headers that frame the message; only the connection may set them. Contradictory framing headers would allow request smuggling. */
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
 * Checks a header and returns its name in lower case.
 * @throws SeqqaError `HEADER_INVALID`. The message does not quote the value, which may be a secret.
 */
export function checkedHeader(name: string, value: string): string {
  if (typeof name !== "string" || !TOKEN.test(name)) {
    throw new SeqqaError("HEADER_INVALID", `${JSON.stringify(name)} is not a valid name of a header.`, {
      hint: "Use only letters, digits and - in the name of a header.",
    });
  }
  const lower = name.toLowerCase();
  if (FRAMING.has(lower)) {
    throw new SeqqaError(
      "HEADER_INVALID",
      `A request cannot set the header ${lower}, because the HTTP connection sets this header itself.`,
      { hint: `Remove ${lower} from the headers that you pass.` },
    );
  }
  if (typeof value !== "string" || !VALUE.test(value)) {
    const what =
      typeof value !== "string"
        ? `is not a string (${typeof value})`
        : /[\r\n]/.test(value)
          ? "contains a line break"
          : "contains a character that HTTP does not allow";
    throw new SeqqaError("HEADER_INVALID", `The value of the header ${lower} ${what}.`, {
      hint: "Encode the value, for example with encodeURIComponent. A line break in a header would begin another header or another request.",
    });
  }
  return lower;
}

/** Returns the method in upper case. @throws SeqqaError `METHOD_INVALID` */
export function checkedMethod(method: string): string {
  if (typeof method !== "string" || !TOKEN.test(method) || method.toUpperCase() === "CONNECT") {
    throw new SeqqaError("METHOD_INVALID", `${JSON.stringify(method)} is not an HTTP method that the client can send.`, {
      hint: 'Pass a method such as "GET", "POST" or "DELETE".',
    });
  }
  return method.toUpperCase();
}

export function checkedHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const checked: Record<string, string> = {};
  for (const name of Object.keys(headers)) {
    const value = headers[name];
    if (value !== undefined) checked[checkedHeader(name, value)] = value;
  }
  return checked;
}
