import { X509Certificate } from "node:crypto";

const BLOCK = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

/**
 * Returns the certificates in a PEM text. Keys and comments are ignored. A text without a certificate is an error, although Node accepts it silently.
 * @returns A description of the error if the text is invalid. The description quotes nothing, because the text may contain a key.
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
