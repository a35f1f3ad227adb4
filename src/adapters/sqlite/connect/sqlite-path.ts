import { sqlitePathOf } from "../../../model/stores/sqlite-path.ts";

/** Returns the file path of a `sqlite:` URL (`sqlite:./a.db`, `sqlite:///abs/a.db`, `sqlite://./a.db`). A plain path is returned unchanged. */
export function sqlitePath(fileOrUrl: string): string {
  return sqlitePathOf(fileOrUrl) ?? fileOrUrl;
}
