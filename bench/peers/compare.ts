import { median } from "../support/row.ts";
import type { MeasuredSide } from "./measured-side.ts";

/** One of those that are compared. */
export interface Side {
  readonly name: string;
  /** What it does, and what it does not do. */
  readonly what: string;
  /** One round, in a fresh process. */
  readonly run: () => Promise<MeasuredSide>;
}

export interface ComparedSide {
  readonly name: string;
  readonly what: string;
  /** Median over the rounds of steps per second. */
  readonly perSecond: number;
  /** Median over the rounds of distinct states per second; `null` where the side cannot tell. */
  readonly statesPerSecond: number | null;
  /** Median over the rounds of the first side's rate to that of this one in the same round. */
  readonly seqqaToIt: number;
  readonly rounds: readonly MeasuredSide[];
}

export interface Comparison {
  readonly name: string;
  readonly sides: readonly ComparedSide[];
}

/** Every side once a round, one after another, in the reverse order every second round. The first side is what the others are compared with. */
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
