import fc from "fast-check";

type Part = "draw" | "states" | "actions" | "loops" | "skips" | "errors" | "findings";

/** The parameters of random graphs (graph-model.ts). The graphs are small enough for many runs of a property. */
export const graphCases: Readonly<Record<Part, fc.Arbitrary<number>>> = {
  draw: fc.integer(),
  states: fc.integer({ min: 2, max: 24 }),
  actions: fc.integer({ min: 1, max: 6 }),
  loops: fc.constantFrom(0, 0.1, 0.5),
  skips: fc.constantFrom(0, 0.1, 0.5),
  errors: fc.constantFrom(0, 0, 0.1),
  findings: fc.constantFrom(0, 0.05, 0.15),
};
