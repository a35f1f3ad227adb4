import type { ExplorationEvent } from "seqqa";

/** Steps per second in each tenth of an exploration. */
export interface Tenths {
  readonly all: readonly number[];
  readonly first: number;
  readonly last: number;
  /** The steps per second of CPU time of the process. Other work of the machine influences these figures less. */
  readonly byCpu: readonly number[];
}

interface Point {
  /** The time in milliseconds. */
  readonly at: number;
  /** The CPU time in milliseconds. */
  readonly cpu: number;
  readonly steps: number;
}

/** Records how many steps were committed at which time. */
export class Timeline {
  readonly #points: Point[] = [];

  note(event: ExplorationEvent): void {
    if (event.kind === "started") this.#add(0);
    else if (event.kind === "progress") this.#add(event.steps);
  }

  /** The milliseconds from the start of the engine to its last commit. */
  get exploringMs(): number {
    const first = this.#points[0];
    const steps = this.#points.at(-1)?.steps;
    const last = this.#points.find((point) => point.steps === steps);
    return first === undefined || last === undefined ? Number.NaN : last.at - first.at;
  }

  /** Returns the steps per second in each tenth of the steps; `undefined` for an exploration of at most two seconds. */
  tenths(): Tenths | undefined {
    const steps = this.#points.at(-1)?.steps ?? 0;
    if (!(this.exploringMs > 2_000)) return undefined;
    const tenth = steps / 10;
    const ends = Array.from({ length: 11 }, (_, i) => this.#when(Math.min(tenth * i, steps)));
    const ratesBy = (time: "at" | "cpu"): number[] => ends.slice(1).map((end, i) => (tenth / (end[time] - ends[i]![time])) * 1000);
    const all = ratesBy("at");
    return { all, first: all[0]!, last: all[9]!, byCpu: ratesBy("cpu") };
  }

  #add(steps: number): void {
    const { user, system } = process.cpuUsage();
    this.#points.push({ at: performance.now(), cpu: (user + system) / 1000, steps });
  }

  /** Returns the time of a step, by linear interpolation between two events. */
  #when(steps: number): Omit<Point, "steps"> {
    const next = this.#points.findIndex((point) => point.steps >= steps);
    const after = this.#points[next]!;
    const before = this.#points[next - 1];
    if (before === undefined || after.steps === before.steps) return after;
    const share = (steps - before.steps) / (after.steps - before.steps);
    return { at: before.at + share * (after.at - before.at), cpu: before.cpu + share * (after.cpu - before.cpu) };
  }
}
