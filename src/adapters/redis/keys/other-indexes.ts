import type { Bytes } from "./entry.ts";

/** Begins what stands for a key of another database of the server. No byte is this character, so that no key of the database itself begins with it. */
const ELSEWHERE = "\u0100";

/** Stands for a key of database `db`, wherever keys of the adapter's own database stand for themselves. */
export function keyElsewhere(db: string, key: Bytes): Bytes {
  return `${ELSEWHERE}${db}:${key}`;
}

/** The database of a key, empty for the adapter's own, and its name there. */
export function placeOfKey(key: Bytes): readonly [db: string, name: Bytes] {
  if (!key.startsWith(ELSEWHERE)) return ["", key];
  const end = key.indexOf(":");
  return [key.slice(1, end), key.slice(end + 1)];
}

/** A key as patterns name it: `cart:1`, `db3:cart:1`. */
export function namedKey(key: Bytes): Bytes {
  const [db, name] = placeOfKey(key);
  return db === "" ? name : `db${db}:${name}`;
}
