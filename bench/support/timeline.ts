import type { ExplorationEvent } from "seqqa";

/** When how many steps were committed. */
export class Timeline {
  readonly #points: { readonly at: number; readonly steps: number }[] = [];

  note(event: ExplorationEvent): void {
    if (event.kind === "started") this.#points.push({ at: performance.now(), steps: 0 });
    else if (event.kind === "progress") this.#points.push({ at: performance.now(), steps: event.steps });
  }

  /** From the start of the engine to its last commit. */
  get exploringMs(): number {
    const first = this.#points[0];
    const steps = this.#points.at(-1)?.steps;
    const last = this.#points.find((point) => point.steps === steps);
    return first === undefined || last === undefined ? Number.NaN : last.at - first.at;
  }

  tenths(): { readonly first: number; readonly last: number } | undefined {
    const steps = this.#points.at(-1)?.steps ?? 0;
    if (!(this.exploringMs > 2_000)) return undefined;
    const tenth = steps / 10;
    const first = this.#timeAt(tenth) - this.#timeAt(0);
    const last = this.#timeAt(steps) - this.#timeAt(steps - tenth);
    return { first: (tenth / first) * 1000, last: (tenth / last) * 1000 };
  }

  /** Linear between two events. */
  #timeAt(steps: number): number {
    const next = this.#points.findIndex((point) => point.steps >= steps);
    const after = this.#points[next]!;
    const before = this.#points[next - 1];
    if (before === undefined || after.steps === before.steps) return after.at;
    return before.at + ((steps - before.steps) / (after.steps - before.steps)) * (after.at - before.at);
  }
}
