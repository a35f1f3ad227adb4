import type { ExplorationEvent } from "../events.ts";

interface Measured {
  readonly committer: {
    readonly steps: number;
    readonly deepest: number;
    readonly visited: { readonly size: number };
    readonly findings: { readonly violations: { readonly size: number } };
  };
  readonly order: { readonly size: number };
  readonly checksLeft: number | null;
  readonly busy: readonly number[];
}

/** Milliseconds between two progress events. */
const EVERY = 200;
/** Milliseconds of the past over which the number of steps per second is averaged. */
const WINDOW = 3000;

export class ProgressMeter {
  readonly #measured: Measured;
  readonly #maxSteps: number;
  readonly #onEvent: (event: ExplorationEvent) => void;
  readonly #startedAt: number;
  readonly #busyMs: number[];
  readonly #laneSteps: number[] = [];
  readonly #laneRebuilds: number[] = [];
  readonly #maxTimeMs: number;
  #samples: { at: number; steps: number }[] = [];
  #emittedAt = 0;

  constructor(
    measured: Measured,
    options: { readonly maxSteps: number; readonly maxTimeMs: number; readonly onEvent: (event: ExplorationEvent) => void },
    startedAt: number,
  ) {
    this.#measured = measured;
    this.#maxSteps = options.maxSteps;
    this.#maxTimeMs = options.maxTimeMs;
    this.#onEvent = options.onEvent;
    this.#startedAt = startedAt;
    this.#busyMs = [];
  }

  get elapsedMs(): number {
    return performance.now() - this.#startedAt;
  }

  busy(lane: number, ms: number, steps: number = 0): void {
    this.#busyMs[lane] = (this.#busyMs[lane] ?? 0) + ms;
    this.#laneSteps[lane] = (this.#laneSteps[lane] ?? 0) + steps;
  }

  rebuilt(lane: number): void {
    this.#laneRebuilds[lane] = (this.#laneRebuilds[lane] ?? 0) + 1;
  }

  emit(always: boolean): void {
    const now = performance.now();
    const since = now - this.#emittedAt;
    if (!always && since < EVERY) return;
    this.#emittedAt = now;
    const { committer, order, checksLeft, busy } = this.#measured;
    this.#samples.push({ at: now, steps: committer.steps });
    while (this.#samples.length > 2 && now - this.#samples[0]!.at > WINDOW) this.#samples.shift();
    const first = this.#samples[0]!;
    const seconds = (now - first.at) / 1000;
    const laneUse = busy.map((_, lane) => Math.min((this.#busyMs[lane] ?? 0) / since, 1));
    this.#busyMs.length = 0;
    this.#onEvent({
      kind: "progress",
      states: committer.visited.size,
      steps: committer.steps,
      stepsPerSecond: seconds > 0 ? Math.round((committer.steps - first.steps) / seconds) : 0,
      frontier: order.size,
      depth: committer.deepest,
      violations: committer.findings.violations.size,
      checksLeft,
      laneUse,
      laneSteps: busy.map((_, lane) => this.#laneSteps[lane] ?? 0),
      laneRebuilds: busy.map((_, lane) => this.#laneRebuilds[lane] ?? 0),
      elapsedMs: this.elapsedMs,
      maxSteps: this.#maxSteps,
      maxTimeMs: this.#maxTimeMs === Infinity ? null : this.#maxTimeMs,
    });
  }
}
