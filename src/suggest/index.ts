export { exploreFurther, type Further, type FurtherLane } from "./explore-further.ts";
export { suggest, type Suggestions } from "./suggest.ts";
export { numberIn, textIn } from "./rows/cells.ts";
export { cellsIn, explored, type Explored, type ExploredTable } from "./find/explored.ts";
export type { Candidate, Place } from "./find/candidate.ts";
export { suggestionCode } from "./write/suggestion-code.ts";
export { furtherLines, suggestionLines } from "./write/suggestion-lines.ts";
