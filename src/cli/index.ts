export { entry } from "./entry.ts";
export { main } from "./main.ts";
export type { ExploreFile, ExploreFileInput, Machinery } from "./machinery.ts";
export type { Shell } from "./shell.ts";
