/**
 * Returns the status with which a proxy rejected a request. Returns `undefined` for any other error. undici reports the status only in the error's
 * message.
 */
export function proxyRefusal(error: unknown): number | undefined {
  const status = error instanceof Error ? /^Proxy (?:Authentication Required|response) \((\d{3})\)/.exec(error.message)?.[1] : undefined;
  return status === undefined ? undefined : Number(status);
}

export function proxyCheck(status: number | undefined): string {
  return status === 407
    ? "Put the proxy's user and password into HTTP_PROXY or HTTPS_PROXY: http://user:password@host:port."
    : "Check the proxy in HTTP_PROXY or HTTPS_PROXY, and the host of the request. To send the request without the proxy, add the host to NO_PROXY.";
}
