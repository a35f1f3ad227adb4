/**
 * Returns the path in a `sqlite:` URL, as it is written: `sqlite:./a.db`, `sqlite:/abs/a.db`, `sqlite:///abs/a.db` and `sqlite://./a.db` all name files.
 * `undefined` for other URLs and for plain paths.
 */
export function sqlitePathOf(url: string): string | undefined {
  const rest = /^sqlite3?:(.*)$/is.exec(url)?.[1];
  return rest?.startsWith("//") === true ? rest.slice(2) : rest;
}
