/**
 * Combines two 32-bit hashes into a hash that depends on their order. 32 bits are enough, because such hashes are only used to order ids and to check
 * fingerprints. They never decide alone if two states are equal.
 */
export function mix(a: number, b: number): number {
  let h = Math.imul(a ^ (b + 0x9e3779b9 + (a << 6) + (a >>> 2)), 0x85ebca6b);
  h ^= h >>> 13;
  h = Math.imul(h, 0xc2b2ae35);
  return h ^ (h >>> 16);
}

export function spread(h: number): number {
  h = Math.imul(h ^ (h >>> 16), 0x7feb352d);
  h = Math.imul(h ^ (h >>> 15), 0x846ca68b);
  return h ^ (h >>> 16);
}

/**
 * Returns the FNV-1a hash of a text's UTF-16 units, with mixed bits. For texts of some hundred characters, this is faster than a call into
 * WebAssembly.
 */
export function hashOf(text: string): number {
  let h = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  return spread(h);
}
