import { createConnection } from "mysql2/promise";
import { expect, test } from "vitest";
import { dropDatabase } from "../../../../src/adapters/mysql/databases.ts";
import { admin, databaseUrl, newDatabase } from "../../../contract/system/mysql-databases.ts";
import { size } from "../../../sizes.ts";

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

test("a folder that stays, with nothing in the database any more, is no failure", async () => {
  const { ask } = server(Infinity, 1010);
  await dropDatabase(ask, "seqqa_x");
});

test("what is being defined in a database while it is removed leaves no file of a trigger behind", async () => {
  for (let round = 0; round < size(30, 300); round++) {
    const name = await newDatabase();
    const sessions = await Promise.all(Array.from({ length: 3 }, async () => createConnection({ uri: await databaseUrl(name) })));
    const defining = sessions.map(async (session, which) => {
      session.on("error", () => undefined);
      try {
        for (let n = 0; n < 10; n++) {
          await session.query(`create table t${which}_${n} (id int primary key, v int, key(v))`);
          await session.query(`create trigger x${which}_${n} after insert on t${which}_${n} for each row set @a = 1`);
          if (n % 3 === 2) await session.query(`drop table t${which}_${n}`);
          await new Promise((resolve) => setTimeout(resolve, 2));
        }
      } catch {
        // The database, or the session, is gone.
      }
    });
    await new Promise((resolve) => setTimeout(resolve, 10 + (round % 10) * 10));
    await admin(async (connection) => {
      const ask = async (sql: string): Promise<(string | null)[][]> => {
        const [rows] = await connection.query({ sql, rowsAsArray: true });
        return Array.isArray(rows) ? (rows as (string | null)[][]) : [];
      };
      await dropDatabase(ask, name);
      expect(await ask(`select 1 from information_schema.schemata where schema_name = '${name}'`)).toEqual([]);
    });
    await Promise.all(defining);
    for (const session of sessions) session.destroy();
  }
});
