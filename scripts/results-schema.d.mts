/** The text of `seqqa.results.schema.json`. */
export function resultsSchema(): string;
