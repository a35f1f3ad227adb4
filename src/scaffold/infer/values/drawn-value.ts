import type { Parameter, Schema } from "../../../openapi/operations/description.ts";
import { DataFactory } from "../../../data/index.ts";
import type { Built } from "./built.ts";
import type { Checker } from "./check-value.ts";
import type { PlannedValue } from "../plan.ts";
import { squashed } from "../resources/words.ts";

export type Draw = Extract<PlannedValue, { kind: "drawn" }>["call"];

/**
 * Matches the `squashed` names of idempotency keys. `REQUEST_ID` matches names of request ids. Both need a new value for each request, because a
 * server treats two requests with the same value as one request.
 */
const IDEMPOTENCY_KEY = /^x?idempotency(key|token)$/;
const REQUEST_ID = /^x?(request|correlation)id$/;

const SEEDS = [1, 2, 3, 4, 5, 6, 7, 8];

/** Returns the first of the test data factory's methods whose values fit the schema. For each method, the values for several seeds are checked. */
export function drawnValue(calls: readonly Draw[], schema: Schema, checker: Checker): Built | undefined {
  for (const call of calls) {
    const samples = samplesOf(call);
    if (samples.every((sample) => checker.problem(schema, sample) === undefined))
      return { value: { kind: "drawn", call }, sample: samples[0]! };
  }
  return undefined;
}

/** Returns a random value for an idempotency key, or for a header with the id of the request. Returns `undefined` for other names. */
export function requestKey(name: string, where: Parameter["in"] | "body", schema: Schema, checker: Checker): Built | undefined {
  const squash = squashed(name);
  const isKey = IDEMPOTENCY_KEY.test(squash) || (where === "header" && REQUEST_ID.test(squash));
  return isKey ? drawnValue(["uuid", "word"], schema, checker) : undefined;
}

const drawn = new Map<Draw, readonly string[]>();

function samplesOf(call: Draw): readonly string[] {
  let samples = drawn.get(call);
  if (samples === undefined) drawn.set(call, (samples = SEEDS.map((seed) => new DataFactory({ seed })[call]())));
  return samples;
}
