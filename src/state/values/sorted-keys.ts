/** Returns the own enumerable keys, sorted by UTF-16 units. Checks first whether they are sorted already, as they usually are. */
export function sortedKeys(value: object): string[] {
  const keys = Object.keys(value);
  for (let i = 1; i < keys.length; i++) if (keys[i - 1]! > keys[i]!) return keys.sort();
  return keys;
}
