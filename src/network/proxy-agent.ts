import type { Dispatcher } from "undici";
import type { EnvironmentProxies } from "./environment-proxies.ts";
import { MAX_HEADER_BYTES } from "./header-limit.ts";
import { secureContext } from "./secure-context.ts";
import { EnvHttpProxyAgent } from "./undici.ts";

const CONNECT_TIMEOUT = 10_000;

/** Returns a dispatcher that sends through these proxies, except to hosts of NO_PROXY. The caller closes it. */
export function proxyAgent(proxies: EnvironmentProxies, ca: readonly string[], maxResponseSize: number): Dispatcher {
  const context = secureContext(ca);
  const secured = { timeout: CONNECT_TIMEOUT, ...(context !== undefined && { secureContext: context }) };
  return new EnvHttpProxyAgent({
    // An empty text instead of `undefined`: otherwise undici would read the environment again.
    httpProxy: proxies.http ?? "",
    httpsProxy: proxies.https ?? "",
    // Many proxies allow a tunnel to port 443 only; by default undici requests one for plain HTTP, too.
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
