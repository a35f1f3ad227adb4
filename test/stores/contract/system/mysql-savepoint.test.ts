import { describe } from "vitest";
import { MysqlAdapter } from "../../../../src/adapters/mysql/index.ts";
import { size } from "../../../sizes.ts";
import { databaseUrl, dropDatabase, newDatabase } from "../../../contract/system/mysql-databases.ts";
import { randomTexts, SCHEMA, SEED } from "../../../contract/system/mysql-savepoint-world.ts";
import type { Random } from "../../../contract/system/random.ts";
import { systemContract, type Subject } from "../../../contract/system/system-contract.ts";

type Writer = (connection: MysqlAdapter["connection"], random: Random) => Promise<void>;

async function lane(laneIndex: number, borrowed: boolean, how: Writer, more: readonly string[] = []): Promise<Subject> {
  const database = await newDatabase(["set timestamp = 1700000000", ...SCHEMA, ...SEED, ...more]);
  const system = new MysqlAdapter({ url: await databaseUrl(database) });
  const { connection } = system;
  await system.open({ name: "db", laneIndex, inProcess: true, borrowed });
  if (system.checkpoint.mode !== "savepoint") throw new Error(`chose ${system.checkpoint.mode}: ${system.checkpoint.why}`);
  return {
    system,
    write: (random) => how(connection, random),
    close: async () => {
      await system.close();
      await dropDatabase(database);
    },
  };
}

const refused = (): undefined => undefined;

/** As a target with a single connection. */
const asConnection: Writer = async (connection, random) => {
  for (const text of randomTexts(random)) await (random.chance(50) ? connection.query(text) : connection.execute(text)).catch(refused);
  await connection.query("rollback");
  await connection.query("set autocommit = 1");
};

/** As a target with a pool: connections that are taken and given back, and queries beside them. */
const asPool: Writer = async (connection, random) => {
  const one = await connection.getConnection();
  const other = await connection.getConnection();
  const queries: Promise<unknown>[] = [];
  for (const text of randomTexts(random)) queries.push(one.query(text));
  queries.push(one.query("set autocommit = 1"), one.rollback(), other.execute("insert into bag values (?, ?)", [9, "other"]));
  if (random.chance(50)) queries.push(connection.query("update bag set v = ? where k = ?", ["w", random.below(3)]));
  await Promise.allSettled(queries);
  one.release();
  other.release();
};

describe("mysql savepoint, a target in this process with a connection", () => {
  systemContract({ lane: (index) => lane(index, false, asConnection), cycles: size(5, 10_000), seed: 41 });
});

describe("mysql savepoint, a target in this process with a pool, a borrowed store", () => {
  systemContract({ lane: (index) => lane(index, true, asPool), cycles: size(5, 2000), seed: 42, brief: true });
});

/** Deletes that go in a circle over two tables, which no trigger follows. */
const CIRCLE = [
  "create table hens(id int primary key, egg int)",
  "create table eggs(id int primary key, hen int, foreign key (hen) references hens(id) on delete cascade)",
  "alter table hens add foreign key (egg) references eggs(id) on delete cascade",
];

describe("mysql savepoint, a schema that cannot be journalled", () => {
  systemContract({ lane: (index) => lane(index, false, asConnection, CIRCLE), cycles: size(5, 500), seed: 43, brief: true });
});
