import type { JourneyResult, StepResult } from "../model/results/journey-result.ts";
import type { RanStep } from "./run-step.ts";
import type { RanSteps } from "./run-steps.ts";

/** Returns the first source line of a stack that is in the user's own code. */
export type WhereOf = (stack: string) => string | undefined;

/** Returns the result of a step with a source line in the user's code instead of the stack. */
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
