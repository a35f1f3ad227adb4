/** The quantile of the standard normal distribution for 95 %. */
const Z = 1.959963984540054;

/**
 * Returns the 95 % confidence interval of a share of which `hits` of `trials` were seen: Wilson's score interval (E. B. Wilson, 1927), which holds
 * for few trials and for shares near 0 and 1.
 */
export function shareInterval(hits: number, trials: number): { readonly low: number; readonly high: number } {
  if (trials === 0) return { low: 0, high: 1 };
  const share = hits / trials;
  const middle = share + (Z * Z) / (2 * trials);
  const spread = Z * Math.sqrt((share * (1 - share) + (Z * Z) / (4 * trials)) / trials);
  const scale = 1 + (Z * Z) / trials;
  return { low: Math.max((middle - spread) / scale, 0), high: Math.min((middle + spread) / scale, 1) };
}
