import { X509Certificate } from "node:crypto";

const BLOCK = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

/**
 * Returns the certificates in a PEM text, without keys and comments. If the text is invalid or contains no certificate, returns a description of the
 * error. The description does not quote the text, because the text may contain a private key.
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
