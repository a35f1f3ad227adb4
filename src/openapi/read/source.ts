export type Source =
  /** A file or a URL. The `path` is absolute, and its symbolic links are resolved if the file exists. */
  { readonly kind: "file"; readonly path: string } | { readonly kind: "url"; readonly url: URL };

export interface Loaded {
  /** The file or URL that contains the text, after all redirects and symbolic links. */
  readonly source: Source;
  readonly name: string;
  readonly text: string;
}

/** Returns a URL without user, password and query, because these may be secret. */
export function shownUrl(url: URL): string {
  return `${url.protocol}//${url.host}${url.pathname}`;
}
