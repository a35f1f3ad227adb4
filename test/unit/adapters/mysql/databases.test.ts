import { expect, test } from "vitest";
import { dropDatabase } from "../../../../src/adapters/mysql/databases.ts";

/** A server whose DROP DATABASE fails so many times. */
function server(
  failures: number,
  errno: number,
): { readonly ask: (sql: string) => Promise<(string | null)[][]>; readonly asked: string[] } {
  const asked: string[] = [];
  let left = failures;
  const ask = (sql: string): Promise<(string | null)[][]> => {
    asked.push(sql);
    if (sql.startsWith("drop") && left-- > 0) return Promise.reject(Object.assign(new Error("Error dropping database"), { errno }));
    return Promise.resolve([]);
  };
  return { ask, asked };
}

test("a folder into which a session that was just ended still writes is removed a moment later", async () => {
  const { ask, asked } = server(2, 1010);
  await dropDatabase(ask, "seqqa_x");
  expect(asked.filter((sql) => sql.startsWith("drop"))).toEqual(Array.from({ length: 3 }, () => "drop database if exists `seqqa_x`"));
});

test("what else keeps a database from being removed is said at once", async () => {
  const { ask, asked } = server(1, 1044);
  await expect(dropDatabase(ask, "seqqa_x")).rejects.toMatchObject({ errno: 1044 });
  expect(asked.filter((sql) => sql.startsWith("drop"))).toHaveLength(1);
});
