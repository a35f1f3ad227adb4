/** Converts a value of the configuration to the form of a flag: `coverage-guided` for `coverage_guided`. */
export function flagWord(word: string): string {
  return word.replaceAll("_", "-");
}
