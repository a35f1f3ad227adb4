export type Source =
  /** `path` is absolute. If the file exists, symbolic links are resolved. */
  { readonly kind: "file"; readonly path: string } | { readonly kind: "url"; readonly url: URL };

export interface Loaded {
  /** The final place of the text, after redirects and symbolic links. */
  readonly source: Source;
  readonly name: string;
  readonly text: string;
}

/** Returns a URL without user, password and query, because these may be secret. */
export function shownUrl(url: URL): string {
  return `${url.protocol}//${url.host}${url.pathname}`;
}
