import { expect, test } from "vitest";
import { indexParts, rewriteColumns } from "../../../../../src/adapters/sqlite/journal/index-parts.ts";

test.each<[string, readonly string[], string | undefined]>([
  ["create unique index i on t(a)", ["a"], undefined],
  [
    'CREATE UNIQUE INDEX IF NOT EXISTS main."on" ON "t (x)" (lower("a"), b COLLATE NOCASE DESC) WHERE c IS NOT NULL',
    ['lower("a")', "b"],
    "c IS NOT NULL",
  ],
  [
    "create unique index i on t(coalesce(a, ')'), /* b, */ b asc) where a in (1, 2) -- so\n and b > 0;",
    ["coalesce(a, ')')", "b"],
    "a in (1, 2) -- so\n and b > 0",
  ],
  ['create unique index i on t((a + b) collate "rtrim" desc)', ["(a + b)"], undefined],
])("%s", (sql, terms, where) => expect(indexParts(sql)).toEqual({ terms, where }));

test("what is no index is not read", () => {
  expect(indexParts("create table t(a)")).toBeUndefined();
  expect(indexParts("create unique index i on t(a) whatever")).toBeUndefined();
  expect(indexParts("create unique index i on t(a")).toBeUndefined();
});

const COLUMNS = new Set(["a", "text", "a b", "lower", "nocase"]);

test.each([
  ["lower(a)", "lower(<a>)"],
  ["lower(lower)", "lower(<lower>)"],
  ["cast(text as text) || 'a'", "cast(<text> as text) || 'a'"],
  ['"A B" > 1 and [a b] < 2 or `a` is null', "<a b> > 1 and <a b> < 2 or <a> is null"],
  ["a collate nocase = x'0a'", "<a> collate nocase = x'0a'"],
  ["case when a then 1e5 else true end", "case when <a> then 1e5 else true end"],
])("%s is repeated about another row", (sql, wanted) => expect(rewriteColumns(sql, COLUMNS, (column) => `<${column}>`)?.sql).toBe(wanted));

test.each(['a || "text of old"', "t.a", "rowid + a"])("%s is not repeated", (sql) => {
  expect(rewriteColumns(sql, COLUMNS, (column) => column)).toBeUndefined();
});
