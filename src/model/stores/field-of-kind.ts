/** One kind of rows in a table: for each column that determines the kind, the pattern that the values have in these rows, such as `order:*`. */
export type RowKind = Readonly<Record<string, string>>;

const WHERE = /^(.*?) where (\{.*\})$/s;

/** Returns the name of a field in rows of one kind: `hash.value where {"key":"order:*","field":"seen"}`. */
export function fieldOfKind(field: string, kind: RowKind): string {
  return `${field} where ${JSON.stringify(kind)}`;
}

/** Parses a field that {@link fieldOfKind} named; `undefined` if the text names a field of all rows, or if no object with patterns follows. */
export function readFieldOfKind(text: string): { readonly field: string; readonly kind: RowKind } | undefined {
  const [, field, kind] = WHERE.exec(text) ?? [];
  if (field === undefined || kind === undefined) return undefined;
  try {
    const patterns = Object.entries(JSON.parse(kind) as object);
    return patterns.length > 0 && patterns.every(([, pattern]) => typeof pattern === "string")
      ? { field, kind: Object.fromEntries(patterns) }
      : undefined;
  } catch {
    return undefined;
  }
}

/** Returns `true` for a text that looks like a field of rows of one kind, but that {@link readFieldOfKind} cannot read. */
export function isBadFieldOfKind(text: string): boolean {
  return text.includes(" where ") && readFieldOfKind(text) === undefined;
}
