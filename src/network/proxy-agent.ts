import type { Dispatcher } from "undici";
import type { EnvironmentProxies } from "./environment-proxies.ts";
import { MAX_HEADER_BYTES } from "./header-limit.ts";
import { secureContext } from "./secure-context.ts";
import { EnvHttpProxyAgent } from "./undici.ts";

const CONNECT_TIMEOUT = 10_000;

/** Returns an undici dispatcher that sends requests through these proxies, except to hosts in NO_PROXY. The caller must close it. */
export function proxyAgent(proxies: EnvironmentProxies, ca: readonly string[], maxResponseSize: number): Dispatcher {
  const context = secureContext(ca);
  const secured = { timeout: CONNECT_TIMEOUT, ...(context !== undefined && { secureContext: context }) };
  return new EnvHttpProxyAgent({
    // Pass an empty string for a missing proxy: for `undefined`, undici would read the environment variables itself.
    httpProxy: proxies.http ?? "",
    httpsProxy: proxies.https ?? "",
    // By default, undici also uses tunnels for plain HTTP. Turn this off, because many proxies allow tunnels only to port 443.
    proxyTunnel: false,
    // `connect` is used for hosts in NO_PROXY, `requestTls` for targets reached through a tunnel, `proxyTls` for proxies that use TLS.
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
