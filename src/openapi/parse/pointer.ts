import { percentDecoded } from "./percent-decoded.ts";
import { isPlain, own } from "./plain.ts";

export function step(key: string): string {
  return `/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

/**
 * Returns the keys of a JSON pointer such as `/a/b~1c`. Percent-encoded pointers, as in a `$ref`, are decoded. Returns `undefined` if the text is not
 * a pointer.
 */
export function keysOf(pointer: string): readonly string[] | undefined {
  if (pointer === "") return [];
  if (!pointer.startsWith("/")) return undefined;
  return pointer
    .slice(1)
    .split("/")
    .map((key) => percentDecoded(key).replaceAll("~1", "/").replaceAll("~0", "~"));
}

export function lookUp(root: unknown, pointer: string): unknown {
  const keys = keysOf(pointer);
  if (keys === undefined) return undefined;
  let value = root;
  for (const key of keys) {
    if (Array.isArray(value)) value = /^\d{1,9}$/.test(key) ? (value as unknown[])[Number(key)] : undefined;
    else if (isPlain(value)) value = own(value, key);
    else return undefined;
  }
  return value;
}
