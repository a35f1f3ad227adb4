import { SeqqaError } from "../../../model/errors.ts";
import { certificatesOf } from "../../../network/certificates.ts";
import type { ConnectionSettings } from "../../../network/connection-settings.ts";

/**
 * Options for the connections of a client. Default: `tls.ca_file` and `proxy` in the configuration, else Node's certificate authorities and no proxy.
 */
export interface ConnectionOptions {
  /** Certificates of authorities in PEM format, trusted in addition to Node's own. Replaces `tls.ca_file`. */
  readonly ca?: string | readonly string[];
  /** `"environment"` uses HTTP_PROXY, HTTPS_PROXY and NO_PROXY. `"none"` uses no proxy, even if one is configured. */
  readonly proxy?: "environment" | "none";
}

/** Checks the given options and converts them to settings. @throws SeqqaError `CA_INVALID`, `PROXY_INVALID` */
export function connectionSettings({ ca, proxy }: ConnectionOptions): Partial<ConnectionSettings> {
  if (proxy !== undefined && proxy !== "environment" && proxy !== "none") {
    // The message does not quote the value, which may be a URL with a password.
    throw new SeqqaError("PROXY_INVALID", 'The option proxy of an HttpClient is neither "environment" nor "none".', {
      exitStatus: 2,
      hint: 'Set HTTP_PROXY or HTTPS_PROXY to the URL of the proxy, and pass proxy: "environment".',
    });
  }
  return { ...(ca !== undefined && { ca: authorities(ca) }), ...(proxy !== undefined && { proxy }) };
}

function authorities(ca: string | readonly string[]): readonly string[] {
  const texts: readonly unknown[] = Array.isArray(ca) ? ca : [ca];
  return texts.flatMap((text, index) => {
    const found =
      typeof text === "string"
        ? certificatesOf(text)
        : `is ${text === null ? "null" : `of type ${typeof text}`}, but must be the text of a certificate`;
    if (typeof found !== "string") return found;
    throw new SeqqaError("CA_INVALID", `The option ${Array.isArray(ca) ? `ca[${index}]` : "ca"} of an HttpClient ${found}.`, {
      exitStatus: 2,
      hint: 'Pass the content of the certificate file, not the name of the file: ca: readFileSync("ca.pem", "utf8").',
    });
  });
}
