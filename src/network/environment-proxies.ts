import { SeqqaError } from "../model/errors.ts";

/** The proxies that the environment names, for each scheme of a target. May hold passwords. */
export interface EnvironmentProxies {
  readonly http: string | undefined;
  readonly https: string | undefined;
}

/**
 * Returns the values of HTTP_PROXY and HTTPS_PROXY, the lower-case names first; `undefined` when both are unset. HTTP_PROXY is also used for https
 * when HTTPS_PROXY is unset.
 * @throws SeqqaError `PROXY_INVALID`, without the value: it may hold a password.
 */
export function environmentProxies(env: NodeJS.ProcessEnv = process.env): EnvironmentProxies | undefined {
  const http = proxyUrl(env, ["http_proxy", "HTTP_PROXY"]);
  const https = proxyUrl(env, ["https_proxy", "HTTPS_PROXY"]);
  return http === undefined && https === undefined ? undefined : { http, https };
}

function proxyUrl(env: NodeJS.ProcessEnv, [lower, upper]: readonly [string, string]): string | undefined {
  const name = env[lower] === undefined ? upper : lower;
  const text = env[name]?.trim() ?? "";
  if (text === "") return undefined;
  try {
    // `host:port` is allowed, because other programs take it, too.
    const url = new URL(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`);
    // undici decodes them; an invalid encoding would raise an error there that explains nothing.
    decodeURIComponent(url.username + url.password);
    if (/^https?:$/.test(url.protocol)) return url.href;
  } catch {
    // No cause: the error of a URL quotes its input.
  }
  throw new SeqqaError("PROXY_INVALID", `The environment variable ${name} is not the URL of an HTTP proxy.`, {
    exitStatus: 2,
    hint: "Write http://host:port or http://user:password@host:port (special characters percent-encoded), or take `proxy: environment` out.",
  });
}
