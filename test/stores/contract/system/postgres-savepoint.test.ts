import { randomBytes } from "node:crypto";
import pg from "pg";
import { afterAll, beforeAll, describe } from "vitest";
import { PostgresAdapter } from "../../../../src/adapters/postgres/postgres-adapter.ts";
import { size } from "../../../sizes.ts";
import { postgresUrl } from "../../../support/services.ts";
import { randomTexts, SCHEMA, SEED } from "../../../contract/system/postgres-savepoint-world.ts";
import type { Random } from "../../../contract/system/random.ts";
import { systemContract, type Subject } from "../../../contract/system/system-contract.ts";

const prefix = `seqqa_test_${randomBytes(4).toString("hex")}`;
const template = `${prefix}_template`;
let admin: pg.Client;
let databases = 0;

beforeAll(async () => {
  admin = new pg.Client({ connectionString: await at("postgres") });
  await admin.connect();
  await admin.query(`create database ${template}`);
  const client = new pg.Client({ connectionString: await at(template) });
  await client.connect();
  for (const sql of [...SCHEMA, ...SEED]) await client.query(sql);
  await client.end();
});

afterAll(async () => {
  const { rows } = await admin.query<{ datname: string }>("select datname from pg_database where datname like $1", [`${prefix}%`]);
  for (const { datname } of rows) await admin.query(`drop database ${datname} with (force)`);
  await admin.end();
});

async function at(database: string): Promise<string> {
  return `${await postgresUrl()}/${database}`;
}

async function lane(laneIndex: number, borrowed: boolean, how: Writer): Promise<Subject> {
  const name = `${prefix}_${databases++}`;
  await admin.query(`create database ${name} template ${template}`);
  const system = new PostgresAdapter({ url: await at(name) });
  const { connection } = system;
  await system.open({ name: "db", laneIndex, inProcess: true, borrowed });
  if (system.checkpoint.mode !== "savepoint") throw new Error(`chose ${system.checkpoint.mode}: ${system.checkpoint.why}`);
  return {
    system,
    write: (random) => how(connection, random),
    close: async () => {
      await system.close();
      await admin.query(`drop database ${name}`);
    },
  };
}

type Writer = (connection: PostgresAdapter["connection"], random: Random) => Promise<void>;

const refused = (): undefined => undefined;

/** As a target with a single client. */
const asClient: Writer = async (connection, random) => {
  for (const text of randomTexts(random)) await connection.query(text).catch(refused);
  await connection.query("rollback");
};

/** As a target with a pool: clients that are taken and given back, and queries beside them. */
const asPool: Writer = async (connection, random) => {
  const one = await connection.connect();
  const other = await connection.connect();
  const queries: Promise<unknown>[] = [];
  for (const text of randomTexts(random)) queries.push(one.query(text));
  queries.push(one.query("rollback"), other.query({ text: "insert into bag values($1, $2)", values: [9, "other"] }));
  if (random.chance(50)) queries.push(connection.query("update bag set w = $1 where v = $2", ["w", random.below(3)]));
  await Promise.allSettled(queries);
  one.release();
  other.release();
};

describe("postgres savepoint, a target in this process with a client", () => {
  systemContract({ lane: (index) => lane(index, false, asClient), cycles: size(5, 10_000), seed: 21 });
});

describe("postgres savepoint, a target in this process with a pool, a borrowed store", () => {
  systemContract({ lane: (index) => lane(index, true, asPool), cycles: size(5, 2000), seed: 22, brief: true });
});
