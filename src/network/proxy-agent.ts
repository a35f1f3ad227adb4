import type { Dispatcher } from "undici";
import type { EnvironmentProxies } from "./environment-proxies.ts";
import { MAX_HEADER_BYTES } from "./header-limit.ts";
import { secureContext } from "./secure-context.ts";
import { EnvHttpProxyAgent } from "./undici.ts";

const CONNECT_TIMEOUT = 10_000;

/** What sends through these proxies, except to hosts of NO_PROXY. Its user ends it. */
export function proxyAgent(proxies: EnvironmentProxies, ca: readonly string[], maxResponseSize: number): Dispatcher {
  const context = secureContext(ca);
  const secured = { timeout: CONNECT_TIMEOUT, ...(context !== undefined && { secureContext: context }) };
  return new EnvHttpProxyAgent({
    // Empty in place of none: undici would look into the environment again.
    httpProxy: proxies.http ?? "",
    httpsProxy: proxies.https ?? "",
    // Many proxies make a tunnel to port 443 only; undici asks for one for plain HTTP, too, unless told.
    proxyTunnel: false,
    // For hosts of NO_PROXY, for targets behind a tunnel, and for a proxy that speaks TLS itself.
    connect: secured,
    requestTls: secured,
    proxyTls: secured,
    pipelining: 1,
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: 1000,
    maxResponseSize,
    maxHeaderSize: MAX_HEADER_BYTES,
  });
}
