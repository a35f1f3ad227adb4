export { openWorld } from "./open-world.ts";
export type { TestWorld } from "./world/test-world.ts";
export type { WorldCheckpoint } from "./world/world-checkpoint.ts";
export type { WorldOptions, WorldStore } from "./options/world-options.ts";
