import type { Bytes } from "./entry.ts";

/** The prefix of keys of the server's other databases. No byte is this character, so that no key of the database itself begins with it. */
const ELSEWHERE = "\u0100";

/** Returns the name of a key of database `db`, for use beside the plain keys of the adapter's own database. */
export function keyElsewhere(db: string, key: Bytes): Bytes {
  return `${ELSEWHERE}${db}:${key}`;
}

/** Returns the database of a key, empty for the adapter's own, and its name there. */
export function placeOfKey(key: Bytes): readonly [db: string, name: Bytes] {
  if (!key.startsWith(ELSEWHERE)) return ["", key];
  const end = key.indexOf(":");
  return [key.slice(1, end), key.slice(end + 1)];
}

/** Returns a key as patterns name it: `cart:1`, `db3:cart:1`. */
export function namedKey(key: Bytes): Bytes {
  const [db, name] = placeOfKey(key);
  return db === "" ? name : `db${db}:${name}`;
}
