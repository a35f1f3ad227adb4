export { suggest, type Suggestions } from "./suggest.ts";
export type { Candidate, Place } from "./find/candidate.ts";
export { suggestionCode } from "./write/suggestion-code.ts";
export { suggestionLines } from "./write/suggestion-lines.ts";
