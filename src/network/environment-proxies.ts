import { SeqqaError } from "../model/errors.ts";

/** The proxies from environment variables, one for each scheme of the target's URL. The URLs may contain passwords. */
export interface EnvironmentProxies {
  readonly http: string | undefined;
  readonly https: string | undefined;
}

/**
 * Returns the proxies in HTTP_PROXY and HTTPS_PROXY; `undefined` if both are unset. Variables with lower-case names take precedence. If HTTPS_PROXY
 * is unset, HTTP_PROXY is also used for https.
 * @throws SeqqaError `PROXY_INVALID`. The message does not contain the value, which may contain a password.
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
    // Allow `host:port` without a scheme, because other programs also accept this form.
    const url = new URL(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`);
    // Check the encoding of user and password here, because undici would throw an unclear error for an invalid encoding.
    decodeURIComponent(url.username + url.password);
    if (/^https?:$/.test(url.protocol)) return url.href;
  } catch {
    // Leave out the original error, because its message quotes the URL, which may contain a password.
  }
  throw new SeqqaError(
    "PROXY_INVALID",
    `The environment variable ${name} must be the URL of an HTTP proxy, but its value is not such a URL.`,
    {
      exitStatus: 2,
      hint: "Set the variable to http://host:port or http://user:password@host:port (percent-encode special characters). Or remove `proxy: environment` from seqqa.yaml.",
    },
  );
}
