import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync } from "node:zlib";
import { MAX_BODY_BYTES } from "./transport.ts";

export class WrongEncoding extends Error {
  override readonly name = "WrongEncoding";
}

const LIMIT = { maxOutputLength: MAX_BODY_BYTES };

const DECODERS: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  gzip: (bytes) => gunzipSync(bytes, LIMIT),
  "x-gzip": (bytes) => gunzipSync(bytes, LIMIT),
  // Some servers send raw deflate data without the zlib header (RFC 9110, section 8.4.1.2).
  deflate: (bytes) => ((bytes[0]! & 0x0f) === 8 ? inflateSync(bytes, LIMIT) : inflateRawSync(bytes, LIMIT)),
  br: (bytes) => brotliDecompressSync(bytes, LIMIT),
};

/**
 * Decodes a body by its `content-encoding`. A body in an unsupported encoding is returned unchanged.
 * @throws WrongEncoding for invalid data; an error with code `ERR_BUFFER_TOO_LARGE` for a decoded body over the size limit
 */
export function decodeContent(bytes: Buffer, encodings: string | undefined): Buffer {
  if (encodings === undefined || bytes.length === 0) return bytes;
  let decoded = bytes;
  // Encodings are listed in the order in which they were applied, so decoding starts with the last.
  for (const name of encodings.split(",").toReversed()) {
    const encoding = name.trim().toLowerCase();
    if (encoding === "" || encoding === "identity") continue;
    const decode = Object.hasOwn(DECODERS, encoding) ? DECODERS[encoding] : undefined;
    if (decode === undefined) return decoded;
    try {
      decoded = decode(decoded);
    } catch (cause) {
      if ((cause as { readonly code?: unknown }).code === "ERR_BUFFER_TOO_LARGE") throw cause;
      throw new WrongEncoding(`its content-encoding is ${encoding}, but its body is not in that encoding`, { cause });
    }
  }
  return decoded;
}
