export { readKnownFindings, type KnownFindings } from "./known-findings.ts";
export { updateKnownFindings } from "./update-known.ts";
export { newRunId } from "./run-id.ts";
export { readRun, saveRun } from "./runs.ts";
export { writeWhole } from "./write-whole.ts";
