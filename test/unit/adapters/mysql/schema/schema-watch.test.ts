import { expect, it } from "vitest";
import type { Control } from "../../../../../src/adapters/mysql/connect/control.ts";
import { SchemaWatch } from "../../../../../src/adapters/mysql/schema/schema-watch.ts";

it("without a privilege to read any list of tables, the error says what to do", async () => {
  const denied = Object.assign(new Error("Access denied"), { errno: 1227 });
  const rows = (sql: string): Promise<readonly string[][]> =>
    sql.includes("information_schema") ? Promise.reject(denied) : Promise.resolve([["shop"]]);
  const opening = SchemaWatch.open({ rows, store: { database: "shop" } } as unknown as Control);
  await expect(opening).rejects.toMatchObject({
    code: "STORE_NOT_ALLOWED",
    message: expect.stringContaining('the database "shop"'),
    hint: expect.stringContaining("a privilege on the tables"),
  });
});
