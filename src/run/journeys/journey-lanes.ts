import type { JourneyRunner, LaneJourney } from "../../lane-pools/journeys/journey-runner.ts";
import { shownResult, shownStep, skippedSteps, type RanStep } from "../../journeys/index.ts";
import { whereOf } from "../../loader/index.ts";
import type { SeqqaError } from "../../model/errors.ts";
import type { StepResult } from "../../model/results/journey-result.ts";
import type { RunError } from "../../model/results/result.ts";
import { hasEnded } from "../../model/results/target-end.ts";
import { endedInUse, type TargetHost } from "../../targets/index.ts";
import { CONTEXT_ONLY } from "../prepare/check-lanes.ts";
import { JourneyEvents } from "./journey-events.ts";
import type { JourneyRun, RunJourneysInput } from "./journey-run.ts";
import type { LoadedJourney } from "../prepare/load-journey.ts";
import { ShownUrls } from "../prepare/shown-urls.ts";

interface Place {
  readonly index: number;
  readonly runner: JourneyRunner;
  baseUrl: string;
  /** `true` if seqqa does not start the target of this lane. The target and its stores then belong to the user. */
  borrowed: boolean;
  contextOnly: boolean;
  /** `true` if the lane is not at its root state, so that it must be rebuilt before the next journey. */
  spoiled: boolean;
  /** The index of the journey that the lane ran last. */
  last: number | undefined;
}

/** Assigns journeys to lanes in order, rebuilds lanes that left their root state, and collects the results. */
export class JourneyLanes {
  readonly #input: RunJourneysInput;
  readonly #loaded: readonly LoadedJourney[];
  readonly #host: TargetHost;
  readonly #places: readonly Place[];
  readonly #events: JourneyEvents;
  readonly #runs: (JourneyRun | undefined)[];
  readonly #enders: AbortController[];
  #next = 0;
  /** The index of the last journey that the result contains. With `bail`, the first journey that failed. */
  #last: number;

  constructor(input: RunJourneysInput, loaded: readonly LoadedJourney[], host: TargetHost, runners: readonly JourneyRunner[]) {
    this.#input = input;
    this.#loaded = loaded;
    this.#host = host;
    this.#places = runners.map((runner, index) => ({
      index,
      runner,
      baseUrl: "",
      borrowed: false,
      contextOnly: false,
      spoiled: true,
      last: undefined,
    }));
    this.#events = new JourneyEvents(input.onEvent);
    this.#runs = loaded.map(() => undefined);
    this.#enders = loaded.map(() => new AbortController());
    this.#last = loaded.length - 1;
  }

  async run(): Promise<readonly JourneyRun[]> {
    const interrupt = (): void => {
      for (const ender of this.#enders) ender.abort();
    };
    this.#input.signal.addEventListener("abort", interrupt);
    try {
      if (!(await this.#comeUp())) return [];
      await settled(this.#places.map((place) => this.#work(place)));
    } finally {
      this.#input.signal.removeEventListener("abort", interrupt);
      await this.#close();
    }
    return this.#result();
  }

  /**
   * Starts all lanes. If one does not start, no journey runs. After an interruption, does not wait until the targets are ready, and resolves to
   * `false`.
   */
  async #comeUp(): Promise<boolean> {
    const { signal } = this.#input;
    const stop = (): void => void this.#host.close().catch(() => undefined);
    signal.addEventListener("abort", stop);
    try {
      await settled(this.#places.map((place) => this.#attach(place)));
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      signal.removeEventListener("abort", stop);
    }
    return !signal.aborted;
  }

  #result(): readonly JourneyRun[] {
    const runs = this.#runs.filter((one) => one !== undefined);
    const overHttp = this.#places.some(({ contextOnly, borrowed, baseUrl }) => contextOnly && borrowed && baseUrl !== "");
    const [first, ...rest] = runs;
    return overHttp && first !== undefined ? [{ ...first, notes: [CONTEXT_ONLY("journeys"), ...first.notes] }, ...rest] : runs;
  }

  async #attach(place: Place): Promise<void> {
    const { index, runner } = place;
    // Close the lane before it is opened again, because closing restores the user's external stores.
    await runner.close();
    const spec = await this.#host.provision(index);
    const { contextOnly } = await runner.attach(spec);
    Object.assign(place, { baseUrl: spec.baseUrl, borrowed: spec.borrowed, contextOnly, spoiled: false });
  }

  async #work(place: Place): Promise<void> {
    while (this.#next <= this.#last && !this.#input.signal.aborted) {
      const index = this.#next++;
      const run = await this.#runOne(place, index);
      place.last = index;
      if (index > this.#last) continue;
      this.#runs[index] = run;
      if (this.#input.bail && run.result.status !== "passed") this.#dropAfter(index);
      this.#events.ended(index, run.result);
    }
  }

  /** Drops the results of all journeys after the first failed journey, so that the result does not depend on the speed of lanes. */
  #dropAfter(index: number): void {
    this.#last = index;
    this.#events.last = index;
    this.#enders.slice(index + 1).forEach((ender) => ender.abort());
    this.#runs.fill(undefined, index + 1);
  }

  async #runOne(place: Place, index: number): Promise<JourneyRun> {
    const { journey } = this.#loaded[index]!;
    const { file } = this.#input.journeys[index]!;
    this.#events.started(index, journey.name);
    const failed = (error: RunError): JourneyRun => {
      const ran = skippedSteps(journey);
      return { file, result: shownResult(journey.name, ran, ran.steps), notes: [], error };
    };
    try {
      if (place.spoiled || this.#host.exited(place.index)) await this.#attach(place);
    } catch (error) {
      place.spoiled = true;
      return failed(runError(error, "lane"));
    }
    const urls = new ShownUrls(
      this.#input.config.baseUrl,
      [place.baseUrl].filter((url) => url !== ""),
    );
    const shown = (step: RanStep): StepResult => {
      const one = shownStep(step, (stack) => whereOf(Object.assign(new Error(), { stack })));
      return { ...one, requests: one.requests.map((exchange) => ({ ...exchange, request: urls.request(exchange.request) })) };
    };
    let done: LaneJourney;
    try {
      let over = false;
      done = await place.runner.run(this.#loaded[index]!, this.#enders[index]!.signal, (step) => {
        // Report a failed step and the steps after it only when the journey is over, because the message of the failure depends on how the target's
        // process ended.
        over ||= step.status === "failed" || step.status === "timed_out";
        if (!over) this.#events.step(index, shown(step));
      });
    } catch (error) {
      // The thread of the lane ended, or the lane could not return to its root state. The lane is rebuilt before the next journey.
      place.spoiled = true;
      return failed(runError(error, "lane"));
    }
    const { ran, failure, notPutBack } = done;
    const ended = await this.#howTargetEnded(place, ran.steps);
    place.spoiled = notPutBack !== undefined || ended !== undefined || (!place.borrowed && (ran.unfinished || place.contextOnly));
    const steps = ran.steps.map((step) =>
      shown(ended !== undefined && step.status === "failed" ? { ...step, error: `${step.error ?? ""} ${ended}`.trim() } : step),
    );
    return {
      file,
      result: shownResult(journey.name, ran, steps),
      notes: [
        ...(done.late && place.last !== undefined ? [lateNote(this.#loaded[place.last]!.journey.name)] : []),
        ...done.rejectedCookies,
      ],
      ...(failure !== undefined && { error: runError(failure, "client") }),
      ...(failure === undefined && ran.status === "passed" && steps.length > 0 && steps.every(isSkipped) && { error: DID_NOTHING }),
      ...(notPutBack !== undefined && ended === undefined && { notPutBack: { kind: "not_put_back", path: [], ...notPutBack } as const }),
    };
  }

  /** Returns a sentence about the end of the target's process, if a step got no answer because the process ended. */
  async #howTargetEnded({ index }: Place, steps: readonly RanStep[]): Promise<string | undefined> {
    const unanswered = steps.some(({ status, requests }) => status === "failed" && requests.some(({ response }) => response === undefined));
    // If an answer is missing, continue although the process still runs: a crash may have begun, and `endOf` waits a moment for the end of the
    // process.
    if (!unanswered && !this.#host.exited(index)) return undefined;
    const end = await this.#host.endOf(index);
    return end !== undefined && hasEnded(end) ? endedInUse(end) : undefined;
  }

  /** Closes the lanes, which restores external stores. A failed restore is added to the last result of the lane. */
  async #close(): Promise<void> {
    const closed = await Promise.allSettled(this.#places.map(({ runner }) => runner.close()));
    closed.forEach((one, lane) => {
      const last = this.#places[lane]!.last ?? -1;
      const run = this.#runs[last];
      if (one.status === "fulfilled" || run === undefined || run.notPutBack !== undefined) return;
      const message = `seqqa could not restore a store after the journeys: ${runError(one.reason, "lane").message}`;
      const notPutBack = { kind: "not_put_back", path: [], message, differences: [] } as const;
      this.#runs[last] = { ...run, notPutBack };
    });
  }
}

/** The error of a journey without an executed step: its first steps may wait for a variable that is not set, and the others for the first. */
const DID_NOTHING: RunError = {
  code: "JOURNEY_DID_NOTHING",
  message: "The journey proves nothing, because each of its steps returned null. Let a step fail if what it needs is missing.",
  path: [],
  source: "journey",
  count: 1,
};

const isSkipped = ({ status }: StepResult): boolean => status === "skipped";

function lateNote(name: string): string {
  return `The target wrote to its stores after the journey "${name}" had ended. seqqa undid these writes before this journey began. To wait for such late writes, set target.settle.`;
}

function runError(error: unknown, source: string): RunError {
  const { code, message, stack, hint } = error as Partial<SeqqaError>;
  const where = stack === undefined ? undefined : whereOf(Object.assign(new Error(), { stack }));
  const text = message ?? String(error);
  return {
    code: typeof code === "string" ? code : "INTERNAL",
    message: hint === undefined ? text : `${text} ${hint}`,
    path: [],
    source,
    ...(where !== undefined && { where }),
    stack,
    count: 1,
  };
}

/** Waits for all promises, and then throws the first error. */
async function settled(work: readonly Promise<unknown>[]): Promise<void> {
  for (const one of await Promise.allSettled(work)) if (one.status === "rejected") throw one.reason;
}
