/**
 * Returns the path in a `sqlite:` URL, without resolving it; `undefined` for other URLs and for plain paths. `sqlite:./a.db`, `sqlite:/abs/a.db`,
 * `sqlite:///abs/a.db` and `sqlite://./a.db` are all valid.
 */
export function sqlitePathOf(url: string): string | undefined {
  const rest = /^sqlite3?:(.*)$/is.exec(url)?.[1];
  return rest?.startsWith("//") === true ? rest.slice(2) : rest;
}
