import { resolve } from "node:path";

/** Returns the path of the description in a URL such as `stub://http?openapi=./payments.yaml`; `undefined` for other URLs. */
export function stubDescriptionOf(url: string): string | undefined {
  if (!/^stub:/i.test(url) || !URL.canParse(url)) return undefined;
  return new URL(url).searchParams.get("openapi") || undefined;
}

/** Returns the URL of a stub with the absolute path of its description. Returns other URLs unchanged. @param base The folder for a relative path. */
export function withAbsoluteDescription(url: string, base: string): string {
  const path = stubDescriptionOf(url);
  if (path === undefined) return url;
  const changed = new URL(url);
  changed.searchParams.set("openapi", resolve(base, path));
  return changed.href;
}
