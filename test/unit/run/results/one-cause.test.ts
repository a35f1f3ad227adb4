import { describe, expect, it } from "vitest";
import { joinedByCause } from "../../../../src/run/results/one-cause.ts";
import { resultJson, violationText } from "../../../../src/reports/index.ts";
import { result, violation } from "../../../support/results.ts";

const found = (id: string, path: readonly string[], cause: string | undefined, more: Parameters<typeof violation>[0] = {}) =>
  violation({ id, invariant: "conforms_to", reproductionPath: path, ...(cause !== undefined && { cause }), ...more });

describe("findings of one rule with one cause", () => {
  it("are one, with the shortest path, in the place of the first, and the actions of all", () => {
    const other = found("c", ["read"], undefined);
    const joined = joinedByCause([
      found("a", ["log_in", "create", "list"], "status 500", { count: 3 }),
      other,
      found("b", ["create", "pay"], "status 500", { count: 2 }),
      found("d", ["create", "drop"], "status 500"),
    ]);
    expect(joined.map(({ id }) => id)).toEqual(["b", "c"]);
    expect(joined[0]).toMatchObject({
      count: 6,
      operations: [
        { action: "list", id: "a", count: 3 },
        { action: "pay", id: "b", count: 2 },
        { action: "drop", id: "d", count: 1 },
      ],
    });
    expect(joined[1]).toBe(other);
    expect(String(joined[0])).toContain("\n  also in   list, drop\n");
    expect(JSON.stringify(resultJson(result({ violations: joined })))).toContain('{"action":"drop","id":"d","count":1}');
  });

  it("are the same whatever the order in which they were found", () => {
    const all = ["c", "a", "b"].map((id) => found(id, ["create", id], "one"));
    expect(joinedByCause(all)[0]?.id).toBe("a");
    expect(joinedByCause(all.toReversed())[0]?.id).toBe("a");
  });

  it("stay apart for another cause, another rule, no cause, and if only one was seen again", () => {
    const all = [
      found("a", ["x"], "one"),
      found("b", ["y"], "two"),
      found("c", ["y"], "one", { invariant: "other" }),
      found("d", ["y"], undefined),
      found("e", ["z"], undefined),
      found("f", ["y"], "one", { confirmed: false }),
    ];
    expect(joinedByCause(all)).toEqual(all);
  });

  it("name twelve actions, and count the others", () => {
    const many = Array.from({ length: 20 }, (_, index) => found(`id${index}`, [`call_${index}`], "one"));
    const [joined] = joinedByCause(many);
    expect(violationText(joined!)).toContain("call_12 and 7 more");
    expect(violationText(joined!)).not.toContain("call_13");
  });
});
