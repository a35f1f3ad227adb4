export { freshContext } from "./context-changes.ts";
export type { RanStep } from "./run-step.ts";
export { runSteps, setUpByJourney, shownResult, shownStep, skippedSteps, type RanSteps } from "./run-steps.ts";
