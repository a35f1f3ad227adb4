const CODES =
  /^(UNABLE_TO_VERIFY_LEAF_SIGNATURE|UNABLE_TO_GET_ISSUER_CERT|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|CERT_UNTRUSTED)/;

/** Returns `true` if the error code means that no trusted authority has signed the server's certificate. */
export function isUntrusted(code: string): boolean {
  return CODES.test(code);
}

/** The message and the hint for an untrusted certificate. */
export const UNTRUSTED: readonly [what: string, check: string] = [
  "TLS failure, the certificate is not trusted",
  "Set tls.ca_file in seqqa.yaml to the PEM file of the authority that signed the certificate (a self-signed certificate is its own authority), or pass the text of that file as `ca` to the client.",
];
