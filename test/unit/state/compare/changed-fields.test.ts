import { describe, expect, it } from "vitest";
import {
  changedFields,
  comparableKnowledge,
  fieldChanges,
  joined,
  knowledgeText,
  knowsNothing,
  NOTHING_KNOWN,
  readKnowledge,
  rowUpdates,
} from "../../../../src/state/index.ts";
import type { Facts } from "../../../../src/state/canonical/facts.ts";
import { Generated } from "../../../../src/state/values/named.ts";
import type { StoredValue } from "../../../../src/model/stores/store-adapter.ts";
import { stored, table } from "../support.ts";

describe("rows that both observations have", () => {
  /** Returns a new object for each use, as observations contain it. */
  const id = (key: string) => new Generated(key, "u", undefined) as unknown as StoredValue;
  const users = (...rows: readonly (readonly StoredValue[])[]) => stored(table("users", "*id email seen", rows));

  it("are recognized by keys that are generated values, and only their changed columns count", () => {
    const [before, after] = [users([id("a"), "x", null], [id("b"), "y", null]), users([id("a"), "x", 1], [id("b"), "y", null])];
    expect(changedFields(before, after)).toEqual(["users.seen"]);
    expect(rowUpdates(before, after)).toEqual({ fields: ["users.seen"], counts: new Map([["db.users", 1]]) });
  });

  it("differ if only a generated value of theirs differs", () => {
    expect(rowUpdates(users(["a", id("x"), null]), users(["a", id("y"), null])).fields).toEqual(["users.email"]);
  });

  it("are neither added nor removed rows", () => {
    const [before, after] = [users([id("a"), "x", null]), users([id("b"), "x", null])];
    expect(rowUpdates(before, after)).toEqual({ fields: [], counts: new Map() });
    expect(changedFields(before, after)).toEqual(["users.email", "users.id", "users.seen"]);
  });
});

it("the fields of an array's members are named, if the array has as many members as before", () => {
  const probe = (...jobs: readonly object[]) =>
    ({ systems: { probe: { kind: "value", value: { jobs } } }, context: {}, clients: {} }) as Facts;
  const [a, b] = [
    { name: "a", beat: 1 },
    { name: "b", beat: 1 },
  ];
  expect(fieldChanges(probe(a, b), probe({ ...a, beat: 2 }, b)).fields).toEqual(["systems.probe.jobs[].beat"]);
  expect(fieldChanges(probe(a, b), probe(a)).fields).toEqual(["systems.probe.jobs"]);
});

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

  it("so are counters that are not restored", () => {
    const left = { ...NOTHING_KNOWN, unrestored: ["db.items"] };
    expect(knowsNothing(left)).toBe(false);
    expect(joined(left, { ...NOTHING_KNOWN, unrestored: ["db.items", "db.notes"] }).unrestored).toEqual(["db.items", "db.notes"]);
    expect(readKnowledge(knowledgeText(left))).toEqual(left);
    expect(comparableKnowledge(left)).not.toBe(comparableKnowledge(NOTHING_KNOWN));
  });
});
