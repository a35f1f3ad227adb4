import { median } from "../support/row.ts";
import type { MeasuredSide } from "./measured-side.ts";

/** One of the programs that are compared. */
export interface Side {
  readonly name: string;
  /** A text that says what the side does, and what it does not do. */
  readonly what: string;
  /** Measures the side once, in a new process. */
  readonly run: () => Promise<MeasuredSide>;
}

export interface ComparedSide {
  readonly name: string;
  readonly what: string;
  /** The steps per second, as a median over the rounds. */
  readonly perSecond: number;
  /** The distinct states per second, as a median over the rounds; `null` if the side does not count states. */
  readonly statesPerSecond: number | null;
  /** The rate of the first side divided by the rate of this side in the same round, as a median over the rounds. */
  readonly seqqaToIt: number;
  readonly rounds: readonly MeasuredSide[];
}

export interface Comparison {
  readonly name: string;
  readonly sides: readonly ComparedSide[];
}

/**
 * Measures every side once per round, one side after another. Every second round has the reverse order. All sides are compared with the first one.
 */
export async function compare(name: string, sides: readonly Side[], rounds: number): Promise<Comparison> {
  const measured = sides.map((): MeasuredSide[] => []);
  for (let round = 0; round < rounds; round++) {
    const order = [...sides.keys()];
    for (const index of round % 2 === 0 ? order : order.reverse()) measured[index]!.push(await sides[index]!.run());
  }
  const first = measured[0]!.map(rate);
  return {
    name,
    sides: sides.map(({ name: side, what }, index) => {
      const own = measured[index]!;
      const states = own.map((one) => (one.states === undefined ? null : (one.states / one.ms) * 1000));
      const told = states.filter((one) => one !== null);
      return {
        name: side,
        what,
        perSecond: median(own.map(rate)),
        statesPerSecond: told.length < own.length ? null : median(told),
        seqqaToIt: median(own.map((one, round) => first[round]! / rate(one))),
        rounds: own,
      };
    }),
  };
}

const rate = ({ steps, ms }: MeasuredSide): number => (steps / ms) * 1000;
