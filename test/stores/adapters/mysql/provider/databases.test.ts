import { createConnection, type Connection } from "mysql2/promise";
import { expect, test } from "vitest";
import { dropDatabase } from "../../../../../src/adapters/mysql/provider/databases.ts";
import type { Ask, Beside } from "../../../../../src/adapters/mysql/connect/server.ts";
import { admin, databaseUrl, newDatabase } from "../../../../contract/system/mysql-databases.ts";
import { size, some } from "../../../../sizes.ts";

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

/** For databases that nobody uses. */
const nobody: Beside = () => Promise.reject(new Error("nothing waits"));

/** A session of its own on the real server. */
const besideReal: Beside = (work) => admin((connection) => work(asking(connection)));

function asking(connection: Connection): Ask {
  return async (sql) => {
    const [rows] = await connection.query({ sql, rowsAsArray: true });
    return Array.isArray(rows) ? (rows as (string | null)[][]) : [];
  };
}

test("a folder into which a session that was just ended still writes is removed a moment later", async () => {
  const { ask, asked } = server(2, 1010);
  await dropDatabase(ask, "seqqa_x", nobody);
  expect(asked.filter((sql) => sql.startsWith("drop"))).toEqual(Array.from({ length: 3 }, () => "drop database if exists `seqqa_x`"));
});

test("what else keeps a database from being removed is said at once", async () => {
  const { ask, asked } = server(1, 1044);
  await expect(dropDatabase(ask, "seqqa_x", nobody)).rejects.toMatchObject({ errno: 1044 });
  expect(asked.filter((sql) => sql.startsWith("drop"))).toHaveLength(1);
});

test("a folder that stays, with nothing in the database any more, is no failure", async () => {
  const { ask } = server(Infinity, 1010);
  await dropDatabase(ask, "seqqa_x", nobody);
});

test("what is being defined in a database while it is removed leaves no file of a trigger behind", async () => {
  for (let round = 0; round < size(3, 300); round++) {
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
      const ask = asking(connection);
      await dropDatabase(ask, name, besideReal);
      expect(await ask(`select 1 from information_schema.schemata where schema_name = '${name}'`)).toEqual([]);
    });
    await Promise.all(defining);
    for (const session of sessions) session.destroy();
  }
});

test("files of triggers that a killed DROP DATABASE left behind are removed by their names", async () => {
  const other = await newDatabase([
    "create table t (id int primary key)",
    "create trigger users after insert on t for each row set @a = 1",
  ]);
  const { ask: asOf, asked } = server(Infinity, 1010);
  let removed = false;
  // As it is left: nothing is in the folder that a statement would show, and it is not empty.
  await admin(async (connection) => {
    await dropDatabase(
      async (sql) => {
        if (sql.includes("distinct trigger_name")) {
          asked.push(sql);
          const [rows] = await connection.query({ sql, rowsAsArray: true });
          return rows as (string | null)[][];
        }
        removed ||= sql === "drop trigger `seqqa_x`.`seqqa_journal_0_ad`";
        if (removed && sql.startsWith("drop database")) return [];
        return asOf(sql);
      },
      "seqqa_x",
      nobody,
    );
  });
  expect(removed).toBe(true);
  const triggers = asked.filter((sql) => sql.startsWith("drop trigger"));
  expect(triggers).toContain("drop trigger `seqqa_x`.`users`");
  await admin((connection) => connection.query(`drop database \`${other}\``));
});

const interrupted = [
  ["CREATE OR REPLACE TRIGGER `a``b` before insert on t for each row set @a = 1", "a`b"],
  ["drop trigger if exists z", "z"],
  ["create trigger x after insert on t for each row set @a = 1", "x"],
  ["create definer=`u`@`h` trigger if not exists y after delete on t for each row set @a = 1", "y"],
] as const;

test.concurrent.each(some(interrupted, 2))("the trigger of a statement that was ended: %s", async (statement, trigger) => {
  const { ask, asked } = server(Infinity, 1010);
  // The removal waits for the statement, which does not end by itself.
  let end: () => void;
  const ended = new Promise<void>((resolve) => (end = resolve));
  const waiting: Ask = async (sql) => {
    if (sql.startsWith("drop database")) await ended;
    return ask(sql);
  };
  const beside: Beside = (work) =>
    work((sql) => {
      if (sql === "kill 7") end();
      return sql.startsWith("select id, info") && !sql.includes("not info regexp") ? Promise.resolve([["7", statement]]) : ask(sql);
    });
  await dropDatabase(waiting, "seqqa_x", beside);
  expect(asked).toContain("kill 7");
  expect(asked).toContain(`drop trigger \`seqqa_x\`.\`${trigger.replaceAll("`", "``")}\``);
});

test("an open transaction on its tables does not keep a database", async () => {
  const name = await newDatabase(["create table t (id int primary key)"]);
  const session = await createConnection({ uri: await databaseUrl(name) });
  session.on("error", () => undefined);
  await session.query("begin");
  await session.query("insert into t values (1)");
  await admin(async (connection) => {
    await dropDatabase(asking(connection), name, besideReal);
    expect(await asking(connection)(`select 1 from information_schema.schemata where schema_name = '${name}'`)).toEqual([]);
  });
  session.destroy();
});
