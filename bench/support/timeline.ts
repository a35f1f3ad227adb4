import type { ExplorationEvent } from "seqqa";

/** Steps per second. */
export interface Tenths {
  readonly all: readonly number[];
  readonly first: number;
  readonly last: number;
  /** The same per second of processor time of the process: what else goes on on the machine counts less in it. */
  readonly byCpu: readonly number[];
}

interface Point {
  /** Milliseconds. */
  readonly at: number;
  /** Milliseconds of processor time. */
  readonly cpu: number;
  readonly steps: number;
}

/** When how many steps were committed. */
export class Timeline {
  readonly #points: Point[] = [];

  note(event: ExplorationEvent): void {
    if (event.kind === "started") this.#add(0);
    else if (event.kind === "progress") this.#add(event.steps);
  }

  /** From the start of the engine to its last commit. */
  get exploringMs(): number {
    const first = this.#points[0];
    const steps = this.#points.at(-1)?.steps;
    const last = this.#points.find((point) => point.steps === steps);
    return first === undefined || last === undefined ? Number.NaN : last.at - first.at;
  }

  /** Steps per second in each tenth of the steps; `undefined` for runs of under two seconds. */
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

  /** Linear between two events. */
  #when(steps: number): Omit<Point, "steps"> {
    const next = this.#points.findIndex((point) => point.steps >= steps);
    const after = this.#points[next]!;
    const before = this.#points[next - 1];
    if (before === undefined || after.steps === before.steps) return after;
    const share = (steps - before.steps) / (after.steps - before.steps);
    return { at: before.at + share * (after.at - before.at), cpu: before.cpu + share * (after.cpu - before.cpu) };
  }
}
