import type { Bytes } from "./entry.ts";

/**
 * The prefix for the names of keys in other databases. Names in the adapter's own database contain only characters up to U+00FF, so none of them
 * begins with this character.
 */
const ELSEWHERE = "\u0100";

/** Returns a name for a key of database `db`. The name differs from all names of keys in the adapter's own database. */
export function keyElsewhere(db: string, key: Bytes): Bytes {
  return `${ELSEWHERE}${db}:${key}`;
}

/** Returns the database of a key (empty for the adapter's own database), and the key's name in that database. */
export function placeOfKey(key: Bytes): readonly [db: string, name: Bytes] {
  if (!key.startsWith(ELSEWHERE)) return ["", key];
  const end = key.indexOf(":");
  return [key.slice(1, end), key.slice(end + 1)];
}

/** Returns a key as the user's patterns name it: `cart:1`, or `db3:cart:1` for another database. */
export function namedKey(key: Bytes): Bytes {
  const [db, name] = placeOfKey(key);
  return db === "" ? name : `db${db}:${name}`;
}
