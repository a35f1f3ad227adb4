/** Where a description, or a file that it refers to, is read from. */
export type Source =
  /** `path` is absolute, without symbolic links where the file is there. */
  { readonly kind: "file"; readonly path: string } | { readonly kind: "url"; readonly url: URL };

/** A text read from a source. */
export interface Loaded {
  /** Where it was found in the end: redirects and links were followed. */
  readonly source: Source;
  /** For messages. */
  readonly name: string;
  readonly text: string;
}

/** Without user, password and query: they may be secret. */
export function shownUrl(url: URL): string {
  return `${url.protocol}//${url.host}${url.pathname}`;
}
