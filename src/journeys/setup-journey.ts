import type { JourneyDefinition } from "../model/declare/journey/journey.ts";
import { SeqqaError } from "../model/errors.ts";
import type { World } from "../model/declare/world.ts";
import { fillContext } from "./context-changes.ts";
import { runSteps } from "./run-steps.ts";

/**
 * Runs a journey as the `setup` of an agent. The journey uses the client and context of the world, so that its login stays valid afterwards.
 * @throws SeqqaError `SETUP_FAILED` that names the step that did not pass
 */
export async function setUpByJourney(journey: JourneyDefinition<never, never>, world: World<never, never>): Promise<void> {
  fillContext(world.context, journey.context);
  const { status, steps } = await runSteps({ journey, client: world.api, context: world.context, drawsElsewhere: true });
  if (status === "passed") return;
  const step = steps.find((one) => one.status === "failed" || one.status === "timed_out");
  const error = new SeqqaError(
    "SETUP_FAILED",
    `The journey "${journey.name}", which is the \`setup\` of the exploration, failed at step "${step?.name ?? ""}": ${step?.error ?? "the run was interrupted."}`,
  );
  if (step?.stack !== undefined) error.stack = step.stack;
  throw error;
}
