/** A stored text that is not valid Unicode, as bytes, because a JavaScript string cannot represent it. */
export interface RawText {
  readonly rawText: Uint8Array;
}

/**
 * A database value without loss of information. Integers are `bigint`, so that the integer 20 and the floating-point number 20.0 remain different.
 */
export type ExactValue = null | bigint | number | string | Uint8Array | RawText;

export type ExactRow = readonly ExactValue[];

export function isRawText(value: ExactValue): value is RawText {
  return typeof value === "object" && value !== null && "rawText" in value;
}

function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/** Returns `true` if two database values are equal and have the same type. The integer 20 and the floating-point number 20.0 are different. */
export function sameValue(a: ExactValue, b: ExactValue): boolean {
  // `Object.is` distinguishes 0 from -0, which SQLite keeps in columns without a type.
  if (Object.is(a, b)) return true;
  if (a instanceof Uint8Array) return b instanceof Uint8Array && sameBytes(a, b);
  return isRawText(a) && isRawText(b) && sameBytes(a.rawText, b.rawText);
}

/** Returns `true` if two rows are equal. `null` means that the row does not exist. */
export function sameRow(a: ExactRow | null, b: ExactRow | null): boolean {
  if (a === b) return true;
  if (a === null || b === null || a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (!sameValue(a[i] as ExactValue, b[i] as ExactValue)) return false;
  return true;
}

/** Returns a copy of `row` with the values of `other` in the columns `at`. If one of the rows does not exist (`null`), returns `row` unchanged. */
export function withValuesOf<Row extends ExactRow | null>(row: Row, other: ExactRow | null, at: readonly number[]): Row {
  if (row === null || other === null || at.length === 0) return row;
  return row.map((value, i) => (at.includes(i) ? (other[i] as ExactValue) : value)) as ExactRow as Row;
}

/**
 * Returns a value of a key column as text. The integer 1 and the floating-point number 1.0 have the same text, because the store treats them as the
 * same key.
 */
export function keyText(value: ExactValue): string {
  if (value === null) return "n";
  if (typeof value === "string") return `t${value.length}:${value}`;
  if (typeof value === "bigint") return `i${value}`;
  if (typeof value === "number") return Number.isInteger(value) ? `i${BigInt(value)}` : `r${value}`;
  const bytes = isRawText(value) ? value.rawText : value;
  return `${isRawText(value) ? "x" : "b"}${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex")}`;
}
