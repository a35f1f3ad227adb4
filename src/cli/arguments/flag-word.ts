/** Returns a word of the configuration as flags have it: `coverage_guided` is `--strategy coverage-guided`. */
export function flagWord(word: string): string {
  return word.replaceAll("_", "-");
}
