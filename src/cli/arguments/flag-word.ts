/** Returns a configuration value in the form of a flag value: `coverage-guided` for `coverage_guided`. */
export function flagWord(word: string): string {
  return word.replaceAll("_", "-");
}
