import type { HttpSettings } from "../../adapters/http/defaults.ts";
import type { Config } from "../../config/index.ts";

/** Returns the settings for requests, shared by the clients of all lanes. They can be sent to other threads. Times are in milliseconds. */
export function httpSettings({ timeout, retry, tls, proxy, exploration: { rateLimit } }: Config): HttpSettings {
  return {
    timeoutMs: timeout * 1000,
    retry,
    rateLimit: rateLimit === undefined ? undefined : { perSecond: rateLimit, memory: new SharedArrayBuffer(8) },
    connection: { ca: tls.ca, proxy },
  };
}
