import { readFileSync } from "node:fs";
import * as tls from "node:tls";
import { certificatesOf } from "./certificates.ts";

const made = new Map<string, tls.SecureContext>();

/**
 * What trusts these certificates beside Node's own; `undefined` for none, which is Node's default. Made once for the same certificates: there
 * are some hundred and fifty others to be read.
 */
export function secureContext(ca: readonly string[]): tls.SecureContext | undefined {
  if (ca.length === 0) return undefined;
  const key = ca.join("\n");
  let context = made.get(key);
  if (context === undefined) made.set(key, (context = tls.createSecureContext({ ca: [...defaultRoots(), ...ca] })));
  return context;
}

/** A list of one's own replaces Node's, so that it has to begin with that. */
function defaultRoots(): readonly string[] {
  // Node 22.15 and later says it.
  const { getCACertificates } = tls as { readonly getCACertificates?: (type: "default") => readonly string[] };
  return getCACertificates?.("default") ?? [...tls.rootCertificates, ...extraRoots()];
}

/** Node itself warns of a file that cannot be read. */
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
