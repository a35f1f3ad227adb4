/** Returns own enumerable keys in the order of their UTF-16 units; usually they are in order already. */
export function sortedKeys(value: object): string[] {
  const keys = Object.keys(value);
  for (let i = 1; i < keys.length; i++) if (keys[i - 1]! > keys[i]!) return keys.sort();
  return keys;
}
