/** Rounds a number and adds thousands separators: `14425` becomes `14,425`. */
export function grouped(value: number): string {
  return Math.round(value).toLocaleString("en-US");
}

/** Formats milliseconds as `850 ms`, `27.4 s`, `3 min 12 s` or `2 h 5 min`. */
export function duration(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  const seconds = milliseconds / 1000;
  if (seconds < 59.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}

export function plural(count: number, word: string): string {
  return `${grouped(count)} ${word}${count === 1 ? "" : "s"}`;
}

/**
 * Returns the speed of an exploration as `1,204 steps/s`; `undefined` if no time has passed. The time for races and faults is left out, because races
 * and faults are not counted as steps.
 */
export function stepRate(explored: {
  readonly steps: number;
  readonly durationMs: number;
  readonly raceCoverage?: { readonly durationMs: number } | undefined;
  readonly faultCoverage?: { readonly durationMs: number } | undefined;
}): string | undefined {
  const exploringMs = explored.durationMs - (explored.raceCoverage?.durationMs ?? 0) - (explored.faultCoverage?.durationMs ?? 0);
  return exploringMs > 0 ? `${grouped((explored.steps * 1000) / exploringMs)} steps/s` : undefined;
}
