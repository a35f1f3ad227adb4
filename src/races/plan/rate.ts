/** The 97.5 % quantile of the standard normal distribution, for two-sided 95 % intervals. */
const Z = 1.959963984540054;

/**
 * Returns the 95 % confidence interval for the probability of an event that occurred `hits` times in `trials`. Wilson's score interval (E. B. Wilson,
 * 1927) is valid for few trials and for rates near 0 and 1.
 */
export function shareInterval(hits: number, trials: number): { readonly low: number; readonly high: number } {
  if (trials === 0) return { low: 0, high: 1 };
  const share = hits / trials;
  const middle = share + (Z * Z) / (2 * trials);
  const spread = Z * Math.sqrt((share * (1 - share) + (Z * Z) / (4 * trials)) / trials);
  const scale = 1 + (Z * Z) / trials;
  return { low: Math.max((middle - spread) / scale, 0), high: Math.min((middle + spread) / scale, 1) };
}
