import type { HttpSettings } from "../../adapters/http/defaults.ts";
import type { Config } from "../../config/index.ts";

/** Returns the settings for requests, which the clients of all lanes share. The settings can be sent to other threads. Times are in milliseconds. */
export function httpSettings({ timeout, retry, tls, proxy, exploration: { rateLimit } }: Config): HttpSettings {
  return {
    timeoutMs: timeout * 1000,
    retry,
    rateLimit: rateLimit === undefined ? undefined : { perSecond: rateLimit, memory: new SharedArrayBuffer(8) },
    connection: { ca: tls.ca, proxy },
  };
}
