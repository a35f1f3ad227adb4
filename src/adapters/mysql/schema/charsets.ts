import { TextDecoder } from "node:util";

/** Character sets in which each text has exactly one encoding. MySQL's name is the key, the name in the Encoding standard is the value. */
const LABELS: Readonly<Record<string, string>> = {
  utf8: "utf-8",
  utf8mb3: "utf-8",
  utf8mb4: "utf-8",
  ascii: "utf-8",
  ucs2: "utf-16be",
  utf16: "utf-16be",
  utf16le: "utf-16le",
  latin1: "windows-1252",
  latin2: "iso-8859-2",
  latin5: "iso-8859-9",
  latin7: "iso-8859-13",
  greek: "iso-8859-7",
  hebrew: "iso-8859-8",
  cp1250: "windows-1250",
  cp1251: "windows-1251",
  cp1256: "windows-1256",
  cp1257: "windows-1257",
  koi8r: "koi8-r",
  koi8u: "koi8-u",
  macroman: "macintosh",
  tis620: "windows-874",
};
const decoders = new Map<string, TextDecoder>();

/** Decodes the bytes of a column. Returns the bytes unchanged if decoding could make different values look equal. */
export function textIn(charset: string, bytes: Uint8Array): string | Uint8Array {
  const label = LABELS[charset];
  if (label === undefined) return bytes;
  let decoder = decoders.get(label);
  if (decoder === undefined) decoders.set(label, (decoder = new TextDecoder(label, { fatal: true, ignoreBOM: true })));
  try {
    return decoder.decode(bytes);
  } catch {
    return bytes;
  }
}
