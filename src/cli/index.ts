export { entry } from "./entry.ts";
export { main } from "./main.ts";
export type { Machinery } from "./run/machinery.ts";
export type { Shell } from "./process/shell.ts";
