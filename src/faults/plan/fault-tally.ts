import type { FaultAnswer, FaultHit, FaultRequest } from "../../messages/fault-messages.ts";
import type { FaultCoverage } from "../../model/results/result.ts";
import type { FaultPlan } from "./plan-faults.ts";

/** A problem that a fault caused once. The fault could not be repeated on a rebuilt lane, so it is unknown whether the problem recurs. */
export interface UntriedFault {
  readonly request: Pick<FaultRequest, "path" | "action">;
  readonly hit: FaultHit;
  /** The reason, as a clause. */
  readonly reason: string;
}

export class FaultTally {
  unconfirmed = 0;
  /** The unconfirmed problems whose faults could not be repeated. */
  readonly untried: UntriedFault[] = [];
  readonly #calls: number;
  readonly #skipped: Record<string, number>;
  readonly #skippedPoints: Record<string, number> = {};
  readonly #missing: Record<string, string> = {};
  readonly #begun: number = performance.now();
  #probed = 0;
  #counted = 0;
  #points = 0;
  #tried = 0;
  #hits = 0;
  #durationMs = 0;

  constructor({ faults, skipped }: FaultPlan) {
    this.#calls = faults.length;
    this.#skipped = { ...skipped };
  }

  get probed(): number {
    return this.#probed;
  }

  get tried(): number {
    return this.#tried;
  }

  get hits(): number {
    return this.#hits;
  }

  /**
   * Adds the results for one call. A call has several results if its lane was lost: each result continues at the fault point where the previous
   * result stopped.
   * @param further The number of fault points in the second round, in which the target is killed. `undefined` in the first round.
   */
  add(answers: readonly FaultAnswer[], further?: number): void {
    const points = Math.max(0, ...answers.map((one) => one.points));
    const dismissed = answers.find((one) => one.dismissed !== undefined)?.dismissed;
    const tried = sum(answers.map((one) => one.tried));
    for (const { missing } of answers) Object.assign(this.#missing, missing);
    this.#tried += tried;
    this.#points += points;
    this.#hits += sum(answers.map(({ hits }) => hits.length));
    const why = dismissed ?? (answers.at(-1)?.failure === undefined ? "no_write" : "lane_lost");
    if (further === undefined) {
      this.#probed++;
      if (points > 0) this.#counted++;
      else this.skip(why, 1);
    } else if (points === 0) this.leave(why, further);
    let open = points - tried;
    for (const [reason, count] of answers.flatMap(({ skipped }) => Object.entries(skipped))) {
      this.#skipPoints(reason, count);
      open -= count;
    }
    const isDead = answers.some(({ hits }) => hits.some(({ verdict }) => verdict === "no_recovery"));
    if (open > 0) this.#skipPoints(dismissed ?? (isDead ? "no_recovery" : "lane_lost"), open);
  }

  skip(reason: string, count: number): void {
    this.#skipped[reason] = (this.#skipped[reason] ?? 0) + count;
  }

  /** Adds `count` skipped fault points of a call that was already counted. */
  leave(reason: string, count: number): void {
    this.#points += count;
    this.#skipPoints(reason, count);
  }

  #skipPoints(reason: string, count: number): void {
    this.#skippedPoints[reason] = (this.#skippedPoints[reason] ?? 0) + count;
  }

  end(): void {
    this.#durationMs = performance.now() - this.#begun;
  }

  coverage(): FaultCoverage {
    return {
      calls: this.#calls,
      counted: this.#counted,
      points: this.#points,
      tried: this.#tried,
      skipped: this.#skipped,
      skippedPoints: this.#skippedPoints,
      missing: this.#missing,
      unconfirmed: this.unconfirmed,
      durationMs: this.#durationMs,
    };
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
