import { expect, test } from "vitest";
import { requireReading } from "../../../../../src/adapters/postgres/read/looker.ts";

test.each(["(select 1) union (select 2)", "\n( ( table t ) )", "-- why\n(values (1))", "select 1"])("%j only reads", (sql) =>
  expect(() => requireReading(sql)).not.toThrow(),
);

test.each(["delete from t", "(delete from t)", "( update t set a = 1 )"])("%j is refused", (sql) =>
  expect(() => requireReading(sql)).toThrow(expect.objectContaining({ code: "QUERY_WRITES" })),
);
