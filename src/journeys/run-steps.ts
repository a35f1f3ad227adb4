import { DataFactory } from "../data/index.ts";
import { contextPartOf, type Context } from "../model/context/context.ts";
import type { JourneyDefinition } from "../model/declare/journey/journey.ts";
import type { JourneyResult, StepResult } from "../model/results/journey-result.ts";
import { runStep, type RanStep } from "./run-step.ts";
import { followed, outerSignal, StepScope } from "./step-scope.ts";
import { SeqqaError } from "../model/errors.ts";
import type { World } from "../model/declare/world.ts";
import { fillContext } from "./context-changes.ts";

/** Returns the first source line of a stack that is in the user's own code. */
type WhereOf = (stack: string) => string | undefined;

export interface StepsInput {
  readonly journey: JourneyDefinition<never, never>;
  readonly client: unknown;
  readonly context: Context<never>;
  /** `true` if the context already has a source of test data, as in a journey that is the `setup` of an exploration. Default: `false`. */
  readonly drawsElsewhere?: boolean;
  readonly signal?: AbortSignal | undefined;
  readonly strays?: (() => readonly unknown[]) | undefined;
  readonly onStep?: ((step: RanStep) => void) | undefined;
}

export interface RanSteps {
  readonly status: JourneyResult["status"];
  readonly steps: readonly RanStep[];
  readonly durationMs: number;
  readonly interrupted: boolean;
  /** `true` if a request was cancelled, or if code of a step was still running at the end of the journey. The target may then still change. */
  readonly unfinished: boolean;
}

/** Runs the steps in order. The steps after the first failure are skipped. */
export function runSteps(input: StepsInput): Promise<RanSteps> {
  return followed(() => run(input));
}

async function run({
  journey,
  client,
  context,
  signal = outerSignal(),
  strays,
  onStep,
  drawsElsewhere = false,
}: StepsInput): Promise<RanSteps> {
  const begun = performance.now();
  const steps: RanStep[] = [];
  const scopes: StepScope[] = [];
  let status: JourneyResult["status"] = "passed";
  let interrupted = false;
  for (const [index, step] of journey.steps.entries()) {
    const ended = (): boolean => signal?.aborted === true;
    if (status === "passed" && ended()) [status, interrupted] = ["failed", true];
    let ran = skipped(step.name);
    if (status === "passed") {
      const scope = new StepScope();
      scopes.push(scope);
      if (!drawsElsewhere) drawFor(context, [journey.name, index, step.name]);
      ran = await runStep({ step, client: client as never, context, timeout: step.timeout ?? journey.timeout, signal, strays, scope });
      if (ran.status === "failed" || ran.status === "timed_out") [status, interrupted] = [ran.status, ended()];
    }
    steps.push(ran);
    onStep?.(ran);
  }
  // Cancel calls that the code of a step did not await, so that they cannot change anything after the journey.
  for (const scope of scopes) scope.end(`journey "${journey.name}" has ended`);
  await new Promise((resolve) => setImmediate(resolve));
  return {
    status,
    steps,
    durationMs: performance.now() - begun,
    interrupted,
    unfinished: scopes.some(({ cancelled, abandoned }) => cancelled > 0 || abandoned),
  };
}

/** Seeds the test data of a step with the step's position in the journey, so that the data does not depend on earlier steps. */
function drawFor(context: Context<never>, place: readonly unknown[]): void {
  let data: DataFactory | undefined;
  contextPartOf(context).drawFrom(() => (data ??= new DataFactory({ seed: JSON.stringify(place) })));
}

function skipped(name: string): RanStep {
  return { name, status: "skipped", requests: [], context: { set: {}, deleted: [] }, durationMs: 0 };
}

/** Returns the result of a journey that could not be started, in which all steps are skipped. */
export function skippedSteps({ steps }: JourneyDefinition<never, never>): RanSteps {
  return { status: "failed", steps: steps.map(({ name }) => skipped(name)), durationMs: 0, interrupted: false, unfinished: false };
}

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
