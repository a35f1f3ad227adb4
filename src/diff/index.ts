export { compareRuns, type NamedRun } from "./compare/compare-runs.ts";
export { DIFF_FORMATS } from "./render/diff-formats.ts";
export type { RunDiff } from "./run-diff.ts";
