/** Returns the status with which a proxy rejected a request. undici reports the status only in the error's message. */
export function proxyRefusal(error: unknown): number | undefined {
  const status = error instanceof Error ? /^Proxy (?:Authentication Required|response) \((\d{3})\)/.exec(error.message)?.[1] : undefined;
  return status === undefined ? undefined : Number(status);
}

export function proxyCheck(status: number | undefined): string {
  return status === 407
    ? "Put user and password into HTTP_PROXY or HTTPS_PROXY: http://user:password@host:port."
    : "It was sent through the proxy that HTTP_PROXY or HTTPS_PROXY names, as `proxy: environment` asks: check that, the host, or list the host in NO_PROXY.";
}
