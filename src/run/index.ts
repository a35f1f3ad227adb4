export { Agent } from "./agent.ts";
export { exploreFile, type ExploreFileInput } from "./explore-file.ts";
export type { ExploreOptions } from "./options.ts";
