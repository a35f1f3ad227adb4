const UNITS: readonly (readonly [RegExp, number])[] = [
  [/^(?:ms|milliseconds?)$/, 1],
  [/^(?:s|sec|seconds?)$/, 1_000],
  [/^(?:m|min|minutes?)$/, 60_000],
  [/^(?:h|hours?)$/, 3_600_000],
  [/^(?:d|days?)$/, 86_400_000],
  [/^(?:w|weeks?)$/, 7 * 86_400_000],
];

/** Converts a time span such as `"30 days"` or `"90m"` to milliseconds. A number counts as milliseconds. Returns `undefined` for other texts. */
export function timeSpanMs(span: number | string): number | undefined {
  if (typeof span === "number") return Number.isFinite(span) ? span : undefined;
  const [, count, unit = ""] = /^\s*(\d+(?:\.\d+)?)\s*([a-z]+)\s*$/i.exec(span) ?? [];
  const factor = UNITS.find(([pattern]) => pattern.test(unit.toLowerCase()))?.[1];
  return count === undefined || factor === undefined ? undefined : Number(count) * factor;
}
