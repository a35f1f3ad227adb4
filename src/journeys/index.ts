export { freshContext } from "./context-changes.ts";
export type { RanStep } from "./run-step.ts";
export { runSteps, skippedSteps, type RanSteps } from "./run-steps.ts";
export { setUpByJourney } from "./setup-journey.ts";
export { shownResult, shownStep } from "./shown-result.ts";
