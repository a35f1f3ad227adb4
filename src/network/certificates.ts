import { X509Certificate } from "node:crypto";

const BLOCK = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

/**
 * The certificates of a text in PEM, each by itself; keys and comments beside them are left out. Node would take a text without any
 * certificate in silence, and trust nobody more than before.
 * @returns In place of them, what is wrong with the text. It quotes nothing: there may be a key in it.
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
