import { expect, it } from "vitest";
import { compare } from "../../../bench/peers/compare.ts";
import type { MeasuredSide } from "../../../bench/peers/measured-side.ts";

it("alternates the sides and compares rates of one round", async () => {
  const order: string[] = [];
  const side = (name: string, rounds: readonly MeasuredSide[]) => {
    let round = 0;
    return {
      name,
      what: "",
      run: async (): Promise<MeasuredSide> => {
        order.push(name);
        return rounds[round++]!;
      },
    };
  };
  const of = (ms: number, states?: number): MeasuredSide => ({ steps: 100, ms, ...(states === undefined ? {} : { states }) });
  // The machine is half as fast in the second round: ratios of one round do not see it.
  const { sides } = await compare("x", [side("a", [of(10, 5), of(20, 5), of(10, 5)]), side("b", [of(5), of(10), of(5)])], 3);
  expect(order).toEqual(["a", "b", "b", "a", "a", "b"]);
  expect(sides.map(({ perSecond, statesPerSecond, seqqaToIt }) => [perSecond, statesPerSecond, seqqaToIt])).toEqual([
    [10_000, 500, 1],
    [20_000, null, 0.5],
  ]);
});
