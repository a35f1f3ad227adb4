import { describe, expect, it } from "vitest";
import { operationCode } from "../../../../src/messages/lane-messages.ts";
import { joinedOperations } from "../../../../src/model/results/coverage.ts";
import { operationCoverage } from "../../../../src/run/results/operation-coverage.ts";

const OPERATIONS = [
  { method: "GET", path: "/orders", described: ["200"] },
  { method: "POST", path: "/orders", described: ["201", "404", "4XX", "default"] },
];

/** The coverage of answers, each an operation and a status. */
const coverageOf = (answers: readonly (readonly [number, number])[]) =>
  operationCoverage(OPERATIONS, {
    calls: new Set(answers.map(([operation, status]) => operationCode(operation, status))),
    earlier: undefined,
  })!;

describe("the coverage of operations", () => {
  it.each([
    ["the status itself", 404, ["201", "4XX", "default"], []],
    ["its range, if the status is not described", 409, ["201", "404", "default"], []],
    ["default, if neither is described", 500, ["201", "404", "4XX"], []],
  ])("takes %s", (_what, status, missing, undescribed) => {
    expect(coverageOf([[1, status]])[1]).toMatchObject({ seen: [status], missing, undescribed });
  });

  it("shows operations that were never called, and statuses that are not described", () => {
    expect(coverageOf([])).toEqual(OPERATIONS.map((one) => ({ ...one, seen: [], missing: one.described, undescribed: [] })));
    expect(
      coverageOf([
        [0, 503],
        [0, 200],
      ])[0],
    ).toMatchObject({ seen: [200, 503], missing: [], undescribed: [503] });
  });

  it("ignores a code without an operation, which a worker may send", () => {
    expect(coverageOf([[7, 200]])).toEqual(coverageOf([]));
  });

  it("adds an earlier session, and says nothing if that session counted no operations", () => {
    const calls = new Set([operationCode(1, 201)]);
    const earlier = { operations: coverageOf([[1, 409]]) };
    expect(operationCoverage(OPERATIONS, { calls, earlier })).toEqual(
      coverageOf([
        [1, 201],
        [1, 409],
      ]),
    );
    expect(operationCoverage(OPERATIONS, { calls, earlier: {} })).toBeUndefined();
    expect(operationCoverage(undefined, { calls, earlier: undefined })).toBeUndefined();
  });

  it("joins shards and explorations", () => {
    const joined = joinedOperations([
      coverageOf([[1, 201]]),
      coverageOf([
        [1, 404],
        [0, 200],
      ]),
    ]);
    expect(joined).toEqual(
      coverageOf([
        [0, 200],
        [1, 201],
        [1, 404],
      ]),
    );
  });
});
