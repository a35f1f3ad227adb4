const UNITS: Readonly<Record<string, number>> = { ms: 0.001, s: 1, m: 60, h: 3600 };

/**
 * Returns the seconds of a duration such as `"30s"`, `"5m"`, `"250ms"` or `"1h"`. A plain number is a number of seconds. `undefined` for any other
 * text. Negative numbers are accepted, so that a range check can name them in its message.
 */
export function durationSeconds(text: string): number | undefined {
  const match = /^\s*(-?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)\s*(ms|s|m|h)?\s*$/i.exec(text);
  if (match === null) return undefined;
  const seconds = Number(match[1]) * (UNITS[(match[2] ?? "s").toLowerCase()] ?? 1);
  return Number.isFinite(seconds) ? seconds : undefined;
}

/** A time in the form that users write: a number of seconds, or a text such as `"30s"`, `"5m"`, `"250ms"`. */
export type Duration = number | string;

/** Returns the seconds of a duration; `undefined` if it is invalid. */
export function secondsOf(duration: Duration): number | undefined {
  return typeof duration === "number" ? duration : durationSeconds(duration);
}
