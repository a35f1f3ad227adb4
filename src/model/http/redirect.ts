/** Matches the URL parameter `error`, with which a redirect refuses the request (RFC 6749, 4.1.2.1). */
const ERROR = /[?&#]error(?:[=&#]|$)/;

/** Returns `true` if a redirect leads to a URL with the parameter `error`, which means that the request was refused. */
export function isErrorLocation(location: string): boolean {
  return ERROR.test(location);
}

/**
 * Returns the page to which an answer redirects: the path of its `location`, with `?error` if the redirect says that the request was refused. Other
 * parameters are left out, because they are often generated. Returns `undefined` for an answer that is no redirect.
 */
export function redirectPage(status: number, headers: Readonly<Record<string, string>>): string | undefined {
  const location = headers["location"];
  if (status < 300 || status >= 400 || location === undefined) return undefined;
  const page = URL.canParse(location) ? new URL(location).pathname : location.split(/[?#]/)[0]!;
  return isErrorLocation(location) ? `${page}?error` : page;
}
