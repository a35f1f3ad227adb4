import { SeqqaError } from "../../model/errors.ts";
import type { Observed, StoreScope } from "../../model/stores/store-adapter.ts";
import { ValueAdapter } from "../../stores/value-adapter.ts";

const TIME_UNITS: readonly (readonly [RegExp, number])[] = [
  [/^(?:ms|milliseconds?)$/, 1],
  [/^(?:s|sec|seconds?)$/, 1_000],
  [/^(?:m|min|minutes?)$/, 60_000],
  [/^(?:h|hours?)$/, 3_600_000],
  [/^(?:d|days?)$/, 86_400_000],
  [/^(?:w|weeks?)$/, 7 * 86_400_000],
];

/** Options of every clock. */
export interface TargetClockOptions {
  /** The maximum number of moves on one path. Default: 3. */
  readonly maxAdvances?: number;
  /** A path of the target, such as `/time`, whose answer contains the target's time. Default: the `Date` header of an answer to `GET /`. */
  readonly probe?: string | undefined;
}

interface ClockState {
  readonly aheadMs: number;
  readonly advances: number;
}

/** The target's clock as a store: actions move the clock ahead, the offset from real time is part of the state, and a restore resets the offset. */
export abstract class TargetClock extends ValueAdapter<ClockState> {
  readonly name = "clock";
  /** The path of the target whose answer shows the target's time; `undefined` for the `Date` header. */
  readonly probe: string | undefined;
  readonly #maxAdvances: number;

  constructor(uses: string, { maxAdvances = 3, probe }: TargetClockOptions) {
    super(uses, "a clock has no writes that seqqa could delay", { aheadMs: 0, advances: 0 });
    this.#maxAdvances = maxAdvances;
    this.probe = probe;
  }

  aheadMs(): number {
    return this.state.aheadMs;
  }

  /** The number of times that the clock was moved on this path. */
  get advances(): number {
    return this.state.advances;
  }

  /**
   * Moves the clock ahead by milliseconds, or by a text such as `"30 days"`, `"90m"` or `"1 week"`. Returns `false` without moving the clock if the
   * path already has `max_advances` moves.
   * @throws SeqqaError `CLOCK_SPAN` for a text that is not a time span, and for a time span that is not positive
   */
  advance(by: number | string): boolean {
    const ms = timeSpanMs(by);
    if (ms === undefined || !(ms > 0)) {
      throw new SeqqaError(
        "CLOCK_SPAN",
        `advance(${JSON.stringify(by)}) cannot move the target's clock: the value is not a duration above 0.`,
        {
          hint: 'Pass a duration such as "30 days" or "90m", or a number of milliseconds.',
        },
      );
    }
    if (this.state.advances >= this.#maxAdvances) return false;
    this.replace({ aheadMs: this.state.aheadMs + ms, advances: this.state.advances + 1 });
    return true;
  }

  open(_scope: StoreScope): void {
    this.replace(this.state);
  }

  observe(): Observed {
    return { kind: "value", value: this.state };
  }

  close(): void {
    // By default, there is nothing to close.
  }
}

/** Converts a time span such as `"30 days"` or `"90m"` to milliseconds. A number counts as milliseconds. Returns `undefined` for other texts. */
function timeSpanMs(span: number | string): number | undefined {
  if (typeof span === "number") return Number.isFinite(span) ? span : undefined;
  const [, count, unit = ""] = /^\s*(\d+(?:\.\d+)?)\s*([a-z]+)\s*$/i.exec(span) ?? [];
  const factor = TIME_UNITS.find(([pattern]) => pattern.test(unit.toLowerCase()))?.[1];
  return count === undefined || factor === undefined ? undefined : Number(count) * factor;
}
