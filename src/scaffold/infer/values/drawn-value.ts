import type { Schema } from "../../../openapi/operations/description.ts";
import { DataFactory } from "../../../data/index.ts";
import type { Built } from "./built.ts";
import type { Checker } from "./check-value.ts";
import type { PlannedValue } from "../plan.ts";

export type Draw = Extract<PlannedValue, { kind: "drawn" }>["call"];

const SEEDS = [1, 2, 3, 4, 5, 6, 7, 8];

/** Returns the first of the test data factory's methods whose values fit the schema. Values for several seeds are checked. */
export function drawnValue(calls: readonly Draw[], schema: Schema, checker: Checker): Built | undefined {
  for (const call of calls) {
    const samples = samplesOf(call);
    if (samples.every((sample) => checker.problem(schema, sample) === undefined))
      return { value: { kind: "drawn", call }, sample: samples[0]! };
  }
  return undefined;
}

const drawn = new Map<Draw, readonly string[]>();

function samplesOf(call: Draw): readonly string[] {
  let samples = drawn.get(call);
  if (samples === undefined) drawn.set(call, (samples = SEEDS.map((seed) => new DataFactory({ seed })[call]())));
  return samples;
}
