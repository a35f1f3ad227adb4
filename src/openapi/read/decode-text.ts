import { problem } from "../problem.ts";

/**
 * Decodes bytes in UTF-8, or in UTF-16 with a byte order mark.
 * @throws SeqqaError `DESCRIPTION_UNREADABLE`
 */
export function decodeText(bytes: Uint8Array, name: string): string {
  const encoding = bytes[0] === 0xff && bytes[1] === 0xfe ? "utf-16le" : bytes[0] === 0xfe && bytes[1] === 0xff ? "utf-16be" : "utf-8";
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    throw problem("DESCRIPTION_UNREADABLE", `${name} is not UTF-8 text.`, "Save the description in UTF-8.");
  }
}
