import type { JourneyResult, StepResult } from "../../model/results/journey-result.ts";
import type { JourneyEvent } from "./journey-run.ts";

interface Told {
  name: string;
  readonly steps: StepResult[];
  result: JourneyResult | undefined;
}

/**
 * Reports the events of journeys that run at the same time as if they ran in order. Events of a later journey wait until all earlier journeys have
 * ended.
 */
export class JourneyEvents {
  readonly #onEvent: (event: JourneyEvent) => void;
  readonly #told = new Map<number, Told>();
  /** The index of the last journey whose events are reported. With `bail`, events of journeys after the first failed journey are dropped. */
  last: number = Infinity;
  /** The index of the journey whose events are reported at present. */
  #current = 0;
  #begun = false;
  #steps = 0;

  constructor(onEvent: (event: JourneyEvent) => void) {
    this.#onEvent = onEvent;
  }

  started(index: number, name: string): void {
    this.#told.set(index, { name, steps: [], result: undefined });
    this.#tell();
  }

  step(index: number, step: StepResult): void {
    this.#told.get(index)?.steps.push(step);
    this.#tell();
  }

  /** Records the final result of a journey. The result replaces the recorded steps, some of which may already have been reported. */
  ended(index: number, result: JourneyResult): void {
    const told = this.#told.get(index);
    if (told === undefined) return;
    told.steps.splice(0, Infinity, ...result.steps);
    told.result = result;
    this.#tell();
  }

  #tell(): void {
    for (let told = this.#told.get(this.#current); told !== undefined; told = this.#told.get(this.#current)) {
      if (this.#current > this.last) return;
      const { name, steps, result } = told;
      if (!this.#begun) this.#onEvent({ kind: "journey_started", name });
      this.#begun = true;
      for (; this.#steps < steps.length; this.#steps++) this.#onEvent({ kind: "step_ended", name, step: steps[this.#steps]! });
      if (result === undefined) return;
      this.#onEvent({ kind: "journey_ended", name, result });
      this.#current++;
      this.#begun = false;
      this.#steps = 0;
    }
  }
}
