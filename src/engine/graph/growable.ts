type Typed = Int32Array | Uint16Array | Uint8Array;

/** Returns the array itself if it contains `index`. Otherwise returns a copy with room for `index`, at least twice as long. */
export function withRoom<T extends Typed>(array: T, index: number): T {
  if (index < array.length) return array;
  const grown = new (array.constructor as new (length: number) => T)(Math.max(array.length * 2, index + 1));
  grown.set(array);
  return grown;
}
