import { SeqqaError } from "../model/errors.ts";

/** The proxies of the environment, by the scheme of the target. The URLs may contain passwords. */
export interface EnvironmentProxies {
  readonly http: string | undefined;
  readonly https: string | undefined;
}

/**
 * Returns the values of HTTP_PROXY and HTTPS_PROXY; `undefined` if both are unset. Lower-case names take precedence. If HTTPS_PROXY is unset,
 * HTTP_PROXY is also used for https.
 * @throws SeqqaError `PROXY_INVALID`. The message does not contain the value, which may have a password.
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
    // `host:port` without a scheme is allowed, because other programs accept it.
    const url = new URL(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`);
    // undici decodes user and password, and would throw an unclear error for an invalid encoding.
    decodeURIComponent(url.username + url.password);
    if (/^https?:$/.test(url.protocol)) return url.href;
  } catch {
    // The cause is dropped, because its message quotes the URL, which may contain a password.
  }
  throw new SeqqaError("PROXY_INVALID", `The environment variable ${name} is not the URL of an HTTP proxy.`, {
    exitStatus: 2,
    hint: "Write http://host:port or http://user:password@host:port (special characters percent-encoded), or take `proxy: environment` out.",
  });
}
