/** Returns the path in a `sqlite:` URL (`sqlite:./a.db`, `sqlite:///abs/a.db`, `sqlite://./a.db`); a plain path stays as it is. */
export function sqlitePath(fileOrUrl: string): string {
  if (!/^sqlite3?:/i.test(fileOrUrl)) return fileOrUrl;
  const rest = fileOrUrl.slice(fileOrUrl.indexOf(":") + 1);
  return rest.startsWith("//") ? rest.slice(2) : rest;
}
