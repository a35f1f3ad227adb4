import { brotliDecompressSync, constants, gunzipSync, inflateRawSync, inflateSync } from "node:zlib";
import { MAX_BODY_BYTES } from "./transport.ts";

export class WrongEncoding extends Error {
  override readonly name = "WrongEncoding";
}

interface Options {
  readonly maxOutputLength: number;
  readonly finishFlush?: number;
}

const LIMIT: Options = { maxOutputLength: MAX_BODY_BYTES };

const DECODERS: Readonly<Record<string, (bytes: Buffer, options: Options) => Buffer>> = {
  gzip: gunzipSync,
  "x-gzip": gunzipSync,
  // Some servers send raw deflate data without the zlib header (RFC 9110, section 8.4.1.2).
  deflate: (bytes, options) => ((bytes[0]! & 0x0f) === 8 ? inflateSync(bytes, options) : inflateRawSync(bytes, options)),
  br: brotliDecompressSync,
};

/**
 * Decodes a body by its `content-encoding`. A body in an unsupported encoding is returned unchanged.
 * @param mayBeCut `true` if the end of the body may be missing, as in an event stream that stays open. Default: `false`.
 * @throws WrongEncoding for invalid data; an error with code `ERR_BUFFER_TOO_LARGE` for a decoded body over the size limit
 */
export function decodeContent(bytes: Buffer, encodings: string | undefined, mayBeCut = false): Buffer {
  if (encodings === undefined || bytes.length === 0) return bytes;
  let decoded = bytes;
  // Encodings are listed in the order in which they were applied, so decoding starts with the last.
  for (const name of encodings.split(",").toReversed()) {
    const encoding = name.trim().toLowerCase();
    if (encoding === "" || encoding === "identity") continue;
    const decode = Object.hasOwn(DECODERS, encoding) ? DECODERS[encoding] : undefined;
    if (decode === undefined) return decoded;
    try {
      const finishFlush = encoding === "br" ? constants.BROTLI_OPERATION_FLUSH : constants.Z_SYNC_FLUSH;
      decoded = decode(decoded, mayBeCut ? { ...LIMIT, finishFlush } : LIMIT);
    } catch (cause) {
      if ((cause as { readonly code?: unknown }).code === "ERR_BUFFER_TOO_LARGE") throw cause;
      throw new WrongEncoding(`its content-encoding is ${encoding}, but its body is not in that encoding`, { cause });
    }
  }
  return decoded;
}
