export { readKnownFindings, type KnownEntry, type KnownFindings } from "./known-findings.ts";
export { updateKnownFindings } from "./update-known.ts";
export { newRunId } from "./run-id.ts";
export { readRun } from "./read-run.ts";
export { RunStore } from "./run-store.ts";
export type { ExplorationKeeper } from "./exploration-keeper.ts";
export { unreadable } from "./open-run.ts";
export { writeWhole } from "./write-whole.ts";
