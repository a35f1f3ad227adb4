import { X509Certificate } from "node:crypto";

const BLOCK = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

/**
 * Returns the certificates of a text in PEM, each by itself; keys and comments beside them are left out. Node would accept a text without any
 * certificate in silence, and trust nothing in addition.
 * @returns If the text is wrong, a description of the error instead. It quotes nothing, because the text may contain a key.
 */
export function certificatesOf(text: string): readonly string[] | string {
  const blocks = text.match(BLOCK) ?? [];
  if (blocks.length === 0) return "holds no certificate in PEM (-----BEGIN CERTIFICATE-----)";
  const broken = blocks.findIndex((block) => !isCertificate(block));
  return broken < 0 ? blocks : `holds a certificate that cannot be read (number ${broken + 1} of ${blocks.length})`;
}

function isCertificate(block: string): boolean {
  try {
    return new X509Certificate(block).subject !== null;
  } catch {
    return false;
  }
}
