import type { JourneyResult, StepResult } from "../model/results/journey-result.ts";
import type { RanStep } from "./run-step.ts";
import type { RanSteps } from "./run-steps.ts";

/** Returns the place in the user's own code that a stack leads to. */
export type WhereOf = (stack: string) => string | undefined;

/** Returns a step as the user sees it. */
export function shownStep({ stack, ...step }: RanStep, whereOf: WhereOf): StepResult {
  const where = stack === undefined ? undefined : whereOf(stack);
  return where === undefined ? step : { ...step, where };
}

export function shownResult(
  name: string,
  ran: Pick<RanSteps, "status" | "durationMs" | "interrupted">,
  steps: readonly StepResult[],
): JourneyResult {
  return { name, status: ran.status, steps, durationMs: ran.durationMs, ...(ran.interrupted && { interrupted: true as const }) };
}
