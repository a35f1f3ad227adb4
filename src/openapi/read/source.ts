/** The place that a description, or a file that it refers to, is read from. */
export type Source =
  /** `path` is absolute, and has no symbolic links if the file exists. */
  { readonly kind: "file"; readonly path: string } | { readonly kind: "url"; readonly url: URL };

/** A text read from a source. */
export interface Loaded {
  /** The final place of the text, after redirects and links. */
  readonly source: Source;
  /** The name of the source in messages. */
  readonly name: string;
  readonly text: string;
}

/** Returns a URL without user, password and query, which may be secret. */
export function shownUrl(url: URL): string {
  return `${url.protocol}//${url.host}${url.pathname}`;
}
