const CODES =
  /^(UNABLE_TO_VERIFY_LEAF_SIGNATURE|UNABLE_TO_GET_ISSUER_CERT|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|CERT_UNTRUSTED)/;

/** The server has a certificate, and nobody whom we trust has signed it. */
export function isUntrusted(code: string): boolean {
  return CODES.test(code);
}

/** The words of it: what happened, and what to do. */
export const UNTRUSTED: readonly [what: string, check: string] = [
  "TLS failure, the certificate is not trusted",
  "Write the PEM file of the authority that signed it (a self-signed certificate is its own) as tls.ca_file in seqqa.yaml, or pass its text as `ca` to the client.",
];
