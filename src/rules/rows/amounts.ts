/** The tolerance for floating-point numbers: a smaller difference counts as a rounding error. */
const ROUNDING = 0.000001;
const DECIMAL = /^([+-]?\d+)(?:\.(\d+))?$/;

/** A sum of numbers from a store. */
export interface Total {
  /** The sum as a decimal number, without zeros at the end of a fraction. */
  readonly text: string;
  /** `false` if a floating-point number belongs to the sum. */
  readonly isExact: boolean;
}

/**
 * Adds numbers as drivers return them: floating-point numbers as `number`, decimal and large numbers as text. Integers may have either form. The sum
 * is exact unless one of the numbers is a floating-point number. `null` counts as 0.
 */
export function totalOf(values: readonly unknown[]): Total {
  const parts = values.map((value) => (isFloat(value) ? null : DECIMAL.exec(String(value ?? 0))));
  const scale = Math.max(0, ...parts.map((part) => part?.[2]?.length ?? 0));
  let units = 0n;
  for (const part of parts) {
    if (part === null) return { text: String(values.reduce<number>((sum, value) => sum + Number(value ?? 0), 0)), isExact: false };
    units += BigInt(part[1]! + (part[2] ?? "").padEnd(scale, "0"));
  }
  const digits = String(units < 0n ? -units : units).padStart(scale + 1, "0");
  const fraction = digits.slice(digits.length - scale).replace(/0+$/, "");
  const whole = digits.slice(0, digits.length - scale);
  return { text: `${units < 0n ? "-" : ""}${whole}${scale === 0 || fraction === "" ? "" : `.${fraction}`}`, isExact: true };
}

export function isSameTotal(a: Total, b: Total): boolean {
  return a.isExact && b.isExact ? a.text === b.text : Math.abs(Number(a.text) - Number(b.text)) <= ROUNDING;
}

/** Returns `true` if a total is above another total, and not only because of rounding. */
export function isAbove(total: Total, limit: Total): boolean {
  if (!total.isExact || !limit.isExact) return Number(total.text) - Number(limit.text) > ROUNDING;
  const { text } = totalOf([total.text, limit.text.startsWith("-") ? limit.text.slice(1) : `-${limit.text}`]);
  return text !== "0" && !text.startsWith("-");
}

/** Returns `true` for a number as drivers return it; see {@link totalOf}. */
export function isNumber(value: unknown): boolean {
  return typeof value === "number" || typeof value === "bigint" || DECIMAL.test(String(value ?? 0));
}

/** Returns a total for a report: as a number if JavaScript writes this number in the same way. */
export function shownTotal({ text }: Total): number | string {
  return String(Number(text)) === text ? Number(text) : text;
}

/**
 * Returns `true` if a number that the store found to be above another number may be above it only because floating-point numbers were rounded.
 * Integers count as exact, although the driver for SQLite rounds integers beyond 2^53.
 */
export function isRoundingError(number: unknown, limit: unknown): boolean {
  const hasFraction = [number, limit].some((value) => typeof value === "number" && !Number.isInteger(value));
  return hasFraction && Number(number) - Number(limit) <= ROUNDING;
}

function isFloat(value: unknown): boolean {
  return typeof value === "number" && !Number.isSafeInteger(value);
}
