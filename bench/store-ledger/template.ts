import { randomBytes } from "node:crypto";
import { Redis } from "ioredis";
import { createConnection } from "mysql2/promise";
import pg from "pg";

export type Kind = "postgres" | "mysql" | "redis";

export interface Template {
  readonly url: string;
  readonly remove: () => Promise<void>;
}

/** Creates an empty store from which the stores of lanes are copied. @param server The URL of an administrator, without a path. */
export async function emptyTemplate(kind: Kind, server: string): Promise<Template> {
  if (kind === "redis") return { url: `${server}/${await emptyIndex(server)}`, remove: () => Promise.resolve() };
  const name = `seqqa_test_bench_${randomBytes(4).toString("hex")}`;
  const run = kind === "postgres" ? onPostgres : onMysql;
  await run(server, `create database ${name}`);
  return { url: `${server}/${name}`, remove: () => run(server, `drop database if exists ${name}`) };
}

async function onPostgres(server: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: `${server}/postgres` });
  await client.connect();
  await client.query(sql);
  await client.end();
}

async function onMysql(server: string, sql: string): Promise<void> {
  const connection = await createConnection({ uri: `${server}/` });
  await connection.query(sql);
  await connection.end();
}

/** Returns a database index without keys. Several users can share it, because nobody writes to it. */
async function emptyIndex(server: string): Promise<number> {
  const redis = new Redis(server);
  try {
    for (let index = 15; index >= 0; index--) {
      await redis.select(index);
      if ((await redis.dbsize()) === 0) return index;
    }
    throw new Error(`Every database index of ${server} holds keys; free one for the benchmark.`);
  } finally {
    redis.disconnect();
  }
}
