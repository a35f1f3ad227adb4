import { describe, expect, test } from "vitest";
import { statementOf } from "../../../../../src/adapters/mysql/savepoint/savepoint-statements.ts";

describe("a statement means to the transaction", () => {
  test.each([
    ["BEGIN", { kind: "begin", readOnly: false }],
    ["begin work ;", { kind: "begin", readOnly: false }],
    ["-- x\nstart /* y */ transaction with consistent snapshot, read only", { kind: "begin", readOnly: true }],
    ["/*!40000 START TRANSACTION */", { kind: "begin", readOnly: false }],
    ["/*M!100100 commit */", { kind: "commit", chain: false }],
    ["COMMIT WORK AND NO CHAIN NO RELEASE", { kind: "commit", chain: false }],
    ["rollback and chain", { kind: "rollback", chain: true }],
    ["# x\nrollback work to savepoint `a``b`", { kind: "rollback to" }],
    ["rollback to a", { kind: "rollback to" }],
    ["release savepoint a", { kind: "release" }],
    ["SET autocommit=0", { kind: "autocommit", on: false, rest: undefined }],
    ["set @@session.autocommit := ON", { kind: "autocommit", on: true, rest: undefined }],
    [
      "set sql_mode = concat('a', 'b'), local `autocommit` = 'off', @x = 1",
      { kind: "autocommit", on: false, rest: "SET sql_mode = concat('a', 'b'), @x = 1" },
    ],
    ["set transaction isolation level serializable, read only", { kind: "set transaction", readOnly: true }],
    ["set tx_isolation = 'SERIALIZABLE'", { kind: "set transaction", readOnly: false }],
    ["create temporary table if not exists a.`b c`(n int)", { kind: "create temporary", name: "a.`b c`", replaces: false }],
    ["create or replace temporary table t as select 1", { kind: "create temporary", name: "t", replaces: true }],
    ["drop temporary table if exists a, b.c", { kind: "drop temporary", names: ["a", "b.c"] }],
    ["unlock tables", { kind: "nothing" }],
    ["call p()", { kind: "opaque" }],
    ["execute immediate 'commit'", { kind: "opaque" }],
    ["begin not atomic commit; end", { kind: "opaque" }],
  ])("%s", (text, wanted) => {
    expect(statementOf(text)).toEqual(wanted);
  });

  test.each([
    ["truncate t", "TRUNCATE", "DELETE"],
    ["/* x */ lock tables t write", "LOCK TABLES", "SELECT ... FOR UPDATE"],
    ["create index i on t(v)", "CREATE INDEX", "Execute such statements before"],
    ["create or replace table t(n int)", "CREATE TABLE", "Execute such statements before"],
    ["alter table t add column c int", "ALTER TABLE", "Execute such statements before"],
    ["drop table if exists t", "DROP TABLE", "DROP TEMPORARY TABLE"],
    ["/*!50000 DROP TABLE t */", "DROP TABLE", "DROP TEMPORARY TABLE"],
    ["rename table a to b", "RENAME TABLE", "Execute such statements before"],
    ["analyze no_write_to_binlog table t", "ANALYZE TABLE", "Remove the statement"],
    ["optimize table t", "OPTIMIZE", "Remove the statement"],
    ["flush tables", "FLUSH", "Remove the statement"],
    ["grant all on *.* to x", "GRANT", "Remove the statement"],
    ["set password = ''", "SET PASSWORD", "Remove the statement"],
    ["set statement max_statement_time = 1 for commit", "SET STATEMENT ... FOR COMMIT", "inner statement without SET STATEMENT"],
    ["set autocommit = @x", "SET autocommit", "0 or 1"],
    ["commit release", "COMMIT RELEASE", "release()"],
    ["savepoint SEQQA_0", "a savepoint named seqqa_0", "Choose another name"],
    ["xa start 'x'", "XA", "BEGIN"],
    ["use mysql", "USE", "<database>.<table>"],
    ["start slave", "START SLAVE", "Remove the statement"],
  ])("%s is refused, with what to use instead", (text, what, instead) => {
    const statement = statementOf(text);
    expect(statement).toMatchObject({ kind: "refused", what });
    expect((statement as { instead: string }).instead).toContain(instead);
  });

  test.each([
    "select 'begin; commit'",
    "(select 1)",
    "select 1 -- ; commit",
    "insert into t values ('/*! truncate t */')",
    "with a as (select 1) select * from a",
    "set @x = 'autocommit = 0'",
    "set global autocommit = 0",
    "set @autocommit = 0",
    "set session transaction isolation level read committed",
    "set session tx_isolation = 'SERIALIZABLE'",
    "analyze select 1",
    "set statement max_statement_time = 1 for select 1",
    "commit nonsense",
    "",
  ])("%s: nothing", (text) => expect(statementOf(text).kind).toBe("ordinary"));
});
