import { createHash } from "node:crypto";
import type { MultipartPart, MultipartValue, RequestOptions } from "../../../model/http/client.ts";
import { SeqqaError } from "../../../model/errors.ts";
import { encodeBody, type EncodedBody } from "./body.ts";
import { checkedHeader } from "./headers.ts";

type Fields = NonNullable<RequestOptions["multipart"]>;

interface Part {
  readonly head: string;
  readonly content: Buffer;
  readonly shown: string;
}

const CRLF = "\r\n";

/**
 * Encodes a `multipart/form-data` body (RFC 7578). The boundary is derived from the content, so that a replay sends the same bytes.
 * @throws SeqqaError `BODY_INVALID`; `HEADER_INVALID` for an invalid content type
 */
export async function encodeMultipart(options: RequestOptions, fields: Fields): Promise<EncodedBody> {
  // Throw if the options contain another kind of body in addition to the multipart body.
  encodeBody(options);
  refuseContentType(options.headers);
  const parts: Part[] = [];
  for (const [name, values] of Object.entries(fields)) {
    for (const value of isList(values) ? values : [values]) parts.push(await partOf(name, value));
  }
  const boundary = boundaryOf(parts);
  const whole = (contents: readonly (Buffer | string)[]): Buffer =>
    Buffer.concat([
      ...parts.flatMap(({ head }, i) => [text(`--${boundary}${CRLF}${head}${CRLF}${CRLF}`), text(contents[i]!), text(CRLF)]),
      text(`--${boundary}--${CRLF}`),
    ]);
  return {
    bytes: whole(parts.map(({ content }) => content)),
    contentType: `multipart/form-data; boundary=${boundary}`,
    shown: whole(parts.map(({ shown }) => shown)).toString("utf8"),
  };
}

async function partOf(name: string, value: MultipartValue): Promise<Part> {
  const { content, filename, contentType } = detailsOf(name, value);
  let head = `Content-Disposition: form-data; name="${quoted(name)}"`;
  if (filename !== undefined) head += `; filename="${quoted(filename)}"`;
  const type = contentType ?? (filename === undefined ? undefined : "application/octet-stream");
  if (type !== undefined) {
    checkedHeader("content-type", type);
    head += `${CRLF}Content-Type: ${type}`;
  }
  const bytes = content instanceof Blob ? Buffer.from(await content.arrayBuffer()) : text(content);
  return { head, content: bytes, shown: shownContent(bytes) };
}

function detailsOf(name: string, value: MultipartValue): MultipartPart {
  if (value instanceof Blob)
    return {
      content: value,
      filename: "name" in value ? String(value.name) : "blob",
      ...(value.type !== "" && { contentType: value.type }),
    };
  // The type of the value excludes `null`, but values from JSON or a database can be `null` at run time.
  if ((value as unknown) === null) throw invalid(name, "is null");
  if (typeof value !== "object") {
    if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return { content: String(value) };
    throw invalid(name, `is ${value === undefined ? "undefined" : `a ${typeof value}`}`);
  }
  const { content, filename, contentType } = value;
  if (content instanceof Blob) {
    const own = detailsOf(name, content);
    const named = filename ?? ("name" in content ? own.filename : undefined);
    return { content, ...(named !== undefined && { filename: named }), ...typed(contentType ?? own.contentType) };
  }
  if (typeof content !== "string" && !(content instanceof Uint8Array)) {
    throw invalid(name, "is an object whose property content is neither a string, nor a Uint8Array, nor a Blob");
  }
  return { content, ...(filename !== undefined && { filename: String(filename) }), ...typed(contentType) };
}

const typed = (contentType: string | undefined): { readonly contentType?: string } => (contentType === undefined ? {} : { contentType });

/** Escapes a name as the HTML standard requires: only quotes and line breaks, which would end the quoted name or its line, are percent-encoded. */
function quoted(name: string): string {
  return name.replace(/["\r\n]/g, (one) => (one === '"' ? "%22" : one === "\r" ? "%0D" : "%0A"));
}

/** Returns a boundary that does not occur in any part: a hash of all parts. If the hash occurs in a part by chance, another hash is tried. */
function boundaryOf(parts: readonly Part[]): string {
  for (let tries = 0; ; tries++) {
    const hash = createHash("sha256").update(String(tries));
    for (const { head, content } of parts) hash.update(`${head.length},${content.length};${head}`).update(content);
    const boundary = `seqqa-${hash.digest("hex").slice(0, 32)}`;
    if (!parts.some(({ head, content }) => head.includes(boundary) || content.includes(boundary))) return boundary;
  }
}

/** Returns the content of a part for reports: text as it is, and a description such as `<12 bytes>` for binary content. */
function shownContent(bytes: Buffer): string {
  const decoded = bytes.toString("utf8");
  // eslint-disable-next-line no-control-regex -- the expression has to match control characters
  return decoded.includes("\ufffd") || /[\x00-\x08\x0e-\x1f]/.test(decoded) ? `<${bytes.length} bytes>` : decoded;
}

function text(content: string | Uint8Array): Buffer {
  return typeof content === "string" ? Buffer.from(content, "utf8") : Buffer.from(content.buffer, content.byteOffset, content.byteLength);
}

function isList(values: Fields[string]): values is readonly MultipartValue[] {
  return Array.isArray(values);
}

function refuseContentType(headers: RequestOptions["headers"]): void {
  if (!Object.keys(headers ?? {}).some((name) => name.toLowerCase() === "content-type")) return;
  throw new SeqqaError(
    "BODY_INVALID",
    "A request has both the option multipart and a content-type header. Only the client can write this header, because it contains the text that separates the fields in the body.",
    {
      hint: "Remove content-type from the option headers. The client then sets the header itself.",
    },
  );
}

function invalid(name: string, what: string): SeqqaError {
  return new SeqqaError("BODY_INVALID", `The multipart field ${JSON.stringify(name)} ${what}.`, {
    hint: "Pass a string, a number, a boolean, a Blob, an object { content, filename?, contentType? }, or a list of such values.",
  });
}
