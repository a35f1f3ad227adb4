import { describe, expect, it } from "vitest";
import { changedFields, fieldChanges, joined, knowsNothing, NOTHING_KNOWN } from "../../../../src/state/index.ts";
import { stored, table } from "../support.ts";

describe("fields that become NULL, or were NULL", () => {
  const workers = (seen: string | null, count = 1) => stored(table("workers", "*name seen count", [["w1", seen, count]]));

  it("are those of a heartbeat in a column that is NULL at the root", () => {
    expect(fieldChanges(workers(null), workers("now")).nullable).toEqual(["workers.seen"]);
    expect(fieldChanges(workers("now"), workers(null, 2)).nullable).toEqual(["workers.seen"]);
  });

  it("are not those with values in both observations, nor those of new rows", () => {
    expect(fieldChanges(workers("then"), workers("now")).nullable).toEqual([]);
    expect(changedFields(workers("then"), workers("now"))).toEqual(["workers.seen"]);
    expect(fieldChanges(stored(table("workers", "*name seen count", [])), workers(null)).nullable).toEqual([]);
  });

  it("also are keys of a value that are absent", () => {
    const value = (held: unknown) => ({ systems: { db: { kind: "value", value: held } } }) as const;
    expect(fieldChanges(value({ n: 1 }), value({ n: 2, seen: 1 })).nullable).toEqual(["systems.db.seen"]);
  });

  it("are new knowledge, although the change is known", () => {
    const known = { ...NOTHING_KNOWN, background: ["workers.seen"] };
    expect(knowsNothing({ ...NOTHING_KNOWN, nullable: ["workers.seen"] })).toBe(false);
    expect(joined(known, { ...NOTHING_KNOWN, nullable: ["workers.seen"] })).toEqual({ ...known, nullable: ["workers.seen"] });
    expect(joined(known, NOTHING_KNOWN)).toStrictEqual(known);
  });
});
