/** Returns the number of single-character edits between two words (Levenshtein 1965). A swap of two neighbouring characters counts as one edit. */
export function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const cost = a[row - 1] === b[column - 1] ? 0 : 1;
      let best = Math.min((previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1, (previous[column - 1] ?? 0) + cost);
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
        best = Math.min(best, (before[column - 2] ?? 0) + 1);
      }
      current.push(best);
    }
    before = previous;
    previous = current;
  }
  return previous[b.length] ?? 0;
}

/** Converts a word to lower case with underscores, so that `baseUrl`, `BASE-URL` and `base_url` are equal. */
const fold = (word: string): string =>
  word
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .replaceAll("-", "_");

/**
 * Returns the candidate that the user probably meant, for messages. Returns `undefined` if even the nearest candidate needs more than two edits for
 * each five characters.
 */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  const folded = fold(word).slice(0, 80);
  let best: string | undefined;
  let bestDistance = Number.POSITIVE_INFINITY;
  for (const candidate of candidates) {
    const distance = editDistance(folded, fold(candidate));
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best !== undefined && bestDistance <= Math.max(1, Math.floor((Math.max(folded.length, best.length) * 2) / 5)) ? best : undefined;
}
