import { readFileSync } from "node:fs";
import { isIP } from "node:net";
import * as tls from "node:tls";
import { certificatesOf } from "./certificates.ts";
import { connectionDefaults } from "./connection-settings.ts";

const made = new Map<string, tls.SecureContext>();

/**
 * Returns a TLS context that trusts these certificates in addition to Node's own. Returns `undefined` if there are no certificates. Equal
 * certificates share one context, because the creation of a context parses about 150 certificates.
 */
export function secureContext(ca: readonly string[]): tls.SecureContext | undefined {
  if (ca.length === 0) return undefined;
  const key = ca.join("\n");
  let context = made.get(key);
  if (context === undefined) made.set(key, (context = tls.createSecureContext({ ca: [...defaultRoots(), ...ca] })));
  return context;
}

/**
 * Returns the TLS options for a connection to a host. The connection trusts the certificates in `ca`, in addition to Node's own.
 *
 * @param ca Default: the certificates of `tls.ca_file` in the configuration.
 */
export function tlsOptions(host: string, ca: readonly string[] = connectionDefaults().ca): tls.ConnectionOptions {
  const context = secureContext(ca);
  return { ...(isIP(host) === 0 && { servername: host }), ...(context !== undefined && { secureContext: context }) };
}

/**
 * Returns the certificates that Node trusts by default. A custom list must contain these certificates, because the custom list replaces the default
 * list.
 */
function defaultRoots(): readonly string[] {
  // `getCACertificates` exists in Node 22.15 and later.
  const { getCACertificates } = tls as { readonly getCACertificates?: (type: "default") => readonly string[] };
  return getCACertificates?.("default") ?? [...tls.rootCertificates, ...extraRoots()];
}

/** Returns the certificates in NODE_EXTRA_CA_CERTS. Ignores an unreadable file, because Node itself warns about the file. */
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
