import { readFileSync } from "node:fs";
import * as tls from "node:tls";
import { certificatesOf } from "./certificates.ts";

const made = new Map<string, tls.SecureContext>();

/**
 * Returns a context that trusts these certificates beside Node's own; `undefined` without certificates, which is Node's default. Equal certificates
 * share one context, because some hundred and fifty others are read for each.
 */
export function secureContext(ca: readonly string[]): tls.SecureContext | undefined {
  if (ca.length === 0) return undefined;
  const key = ca.join("\n");
  let context = made.get(key);
  if (context === undefined) made.set(key, (context = tls.createSecureContext({ ca: [...defaultRoots(), ...ca] })));
  return context;
}

/** Returns Node's certificates: a custom list replaces them, so it has to begin with them. */
function defaultRoots(): readonly string[] {
  // Node 22.15 and later can return its certificates.
  const { getCACertificates } = tls as { readonly getCACertificates?: (type: "default") => readonly string[] };
  return getCACertificates?.("default") ?? [...tls.rootCertificates, ...extraRoots()];
}

/** Returns the certificates of NODE_EXTRA_CA_CERTS. Node itself warns of a file that cannot be read. */
function extraRoots(): readonly string[] {
  const file = process.env["NODE_EXTRA_CA_CERTS"];
  if (file === undefined || file === "") return [];
  try {
    const certificates = certificatesOf(readFileSync(file, "utf8"));
    return typeof certificates === "string" ? [] : certificates;
  } catch {
    return [];
  }
}
