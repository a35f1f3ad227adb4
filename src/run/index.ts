export { Agent } from "./agent.ts";
export { clean } from "./clean.ts";
export { doctor } from "./doctor.ts";
export { exploreFile, type ExploreFileInput } from "./explore-file.ts";
export type { ExploreOptions } from "./options.ts";
