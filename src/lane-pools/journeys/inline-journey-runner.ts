import type { RanStep } from "../../journeys/index.ts";
import type { LaneSpec } from "../../targets/lanes/lane-spec.ts";
import type { ProcessHost } from "../lane-factory.ts";
import { JourneyLane } from "./journey-lane.ts";
import type { JourneyRunner, JourneySettings, LaneFacts, LaneJourney, BundledJourney } from "./journey-runner.ts";

export class InlineJourneyRunner implements JourneyRunner {
  readonly #settings: JourneySettings;
  readonly #processes: Partial<ProcessHost>;
  #lane: JourneyLane | undefined;

  constructor(settings: JourneySettings, processes: Partial<ProcessHost>) {
    this.#settings = settings;
    this.#processes = processes;
  }

  async attach(spec: LaneSpec): Promise<LaneFacts> {
    await this.close();
    this.#lane = await JourneyLane.open(this.#settings, spec, this.#processes);
    return this.#lane.facts;
  }

  run({ journey }: BundledJourney, signal: AbortSignal, onStep: (step: RanStep) => void): Promise<LaneJourney> {
    return this.#lane!.run(journey, signal, onStep);
  }

  async close(): Promise<void> {
    const lane = this.#lane;
    this.#lane = undefined;
    await lane?.close();
  }
}
