import { describe, expect, test } from "vitest";
import { statementsOf } from "../../../../../src/adapters/postgres/savepoint/savepoint-statements.ts";

const controls = (text: string): unknown[] => statementsOf(text).map(({ control }) => control?.kind);
const texts = (text: string): string[] => statementsOf(text).map((statement) => statement.text);

describe("statements that concern transactions", () => {
  test.each([
    ["BEGIN", { kind: "begin", tag: "BEGIN", readOnly: undefined }],
    ["  /* a /* nested */ comment */ begin -- and another\n WORK ;", { kind: "begin", tag: "BEGIN", readOnly: undefined }],
    ["start transaction isolation level repeatable read, read only", { kind: "begin", tag: "START TRANSACTION", readOnly: true }],
    ["Begin Transaction Isolation Level Serializable Read Write Not Deferrable", { kind: "begin", tag: "BEGIN", readOnly: false }],
    ["commit", { kind: "commit", chain: false }],
    ["END TRANSACTION", { kind: "commit", chain: false }],
    ["commit and no chain", { kind: "commit", chain: false }],
    ["COMMIT WORK AND CHAIN", { kind: "commit", chain: true }],
    ["abort", { kind: "rollback", chain: false }],
    ["rollback work and chain;", { kind: "rollback", chain: true }],
    ['rollback to savepoint "A b"', { kind: "rollback to", tag: "ROLLBACK TO SAVEPOINT", name: "A b" }],
    ["ROLLBACK TRANSACTION TO Savepoint", { kind: "rollback to", tag: "ROLLBACK TO SAVEPOINT", name: "savepoint" }],
    ["savepoint A", { kind: "savepoint", tag: "SAVEPOINT", name: "a" }],
    ["release savepoint a", { kind: "release", tag: "RELEASE SAVEPOINT", name: "a" }],
    ["release a", { kind: "release", tag: "RELEASE SAVEPOINT", name: "a" }],
    ["set transaction read only", { kind: "set transaction", readOnly: true }],
    ["SET LOCAL TRANSACTION ISOLATION LEVEL serializable", { kind: "set transaction", readOnly: undefined }],
    ["set constraints all deferred", { kind: "set constraints" }],
    ["prepare transaction 'x'", { kind: "two-phase", tag: "PREPARE TRANSACTION" }],
    ["commit prepared 'x'", { kind: "two-phase", tag: "COMMIT PREPARED" }],
    ["declare c scroll cursor for select 1", { kind: "block only", tag: "DECLARE CURSOR" }],
    ["lock table t", { kind: "block only", tag: "LOCK TABLE" }],
  ])("%s", (text, control) => {
    expect(statementsOf(text).map((statement) => statement.control)).toEqual([control]);
  });

  test.each([
    "select 'begin'; select 1",
    'select "commit" from t',
    "select $$ ; commit; $$, $x$ rollback; $$ commit $x$",
    "select e'it\\'s; commit', 'a''; commit'",
    "prepare x as select 1",
    "begin nonsense",
    "commit now",
    "update t set begin = 1",
    "create table savepoint(a int)",
    "declare c cursor with hold for select 1",
    "set session characteristics as transaction read only",
    "set transaction snapshot '1'",
  ])("%s is none", (text) => {
    expect(controls(text).every((kind) => kind === undefined)).toBe(true);
  });

  test("are found in a text of several", () => {
    const text = "begin; insert into t values('; commit') ; -- commit;\n savepoint a;; select $a1$;$a1$ ; COMMIT";
    expect(controls(text)).toEqual(["begin", undefined, "savepoint", undefined, "commit"]);
    expect(texts(text)[1]).toBe("insert into t values('; commit')");
    expect(text.slice(statementsOf(text)[1]!.start)).toMatch(/^insert/);
  });

  test("a routine's body and a rule's actions are part of them", () => {
    const routine = "create function f() returns int begin atomic select case when true then 1 else 2 end; update t set a = 1; end; commit";
    expect(controls(routine)).toEqual([undefined, "commit"]);
    const rule = "create rule r as on insert to t do also (insert into l values(1); delete from m); begin";
    expect(controls(rule)).toEqual([undefined, "begin"]);
  });

  test("what is not ended is the rest", () => {
    expect(controls("select 'begin; commit")).toEqual([undefined]);
    expect(controls("select $a$ begin; commit")).toEqual([undefined]);
    expect(controls("/* begin; commit")).toEqual([]);
  });
});

describe("settings that end with the transaction", () => {
  const locals = (text: string): unknown[] => statementsOf(text).flatMap((statement) => statement.locals);
  test.each([
    ["set local app.Tenant = 'x'", ["app.tenant"]],
    ['set local "My"."Setting" to 1', ["My.Setting"]],
    ["set local time zone 'UTC'", ["timezone"]],
    ["set local role none", ["role"]],
    ["SET LOCAL SESSION AUTHORIZATION DEFAULT", ["session_authorization"]],
    ["set local search_path to a, b", ["search_path"]],
    ["select set_config('app.a', $1, true), pg_catalog.set_config('app.b', f(1, 2), 'on')", ["app.a", "app.b"]],
    ["select set_config($2, 'x', true)", [2]],
    ["select set_config('app.a', 'x', false)", []],
    ["set app.a = 1", []],
    ["update t set local = 1", []],
  ])("%s", (text, names) => {
    expect(locals(text).map((local) => (local as { name: unknown }).name)).toEqual(names);
  });

  test("say by which value they are local", () => {
    expect(locals("select set_config($1, $2, $3)")).toEqual([{ name: 1, onlyIf: 3 }]);
  });
});

test.each([
  ["declare C insensitive cursor without hold for select 1", { kind: "cursor", name: "c" }],
  ["declare c cursor with hold for select 1", undefined],
  ["create temp table Passing(id int) on commit drop", { kind: "temporary table", name: "passing" }],
  ['create local temporary table if not exists pg_temp."A b" on commit delete rows as select 1', { kind: "temporary rows", name: "A b" }],
  ["create temp table kept(id int) on commit preserve rows", undefined],
  ["create table t(id int)", undefined],
])("a COMMIT ends what is made by %s", (text, ending) => {
  expect(statementsOf(text).map((statement) => statement.ending)).toEqual([ending]);
});
