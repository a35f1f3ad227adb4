import { randomBytes } from "node:crypto";
import { atEnd } from "./at-end.ts";
import { mysqlUrl, postgresUrl, redisUrl } from "./services.ts";

/** Creates an empty store for one test, which can be copied for lanes. It is removed after the tests of the file. */
export async function template(kind: "postgres" | "mysql" | "redis", admin?: string): Promise<string> {
  const name = `seqqa_test_${randomBytes(4).toString("hex")}`;
  if (kind === "postgres") {
    const server = admin ?? (await postgresUrl());
    await onPostgres(server, `CREATE DATABASE ${name}`);
    atEnd(() => onPostgres(server, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`).catch(() => undefined));
    return `${server}/${name}`;
  }
  if (kind === "mysql") {
    const server = admin ?? (await mysqlUrl());
    await onMysql(server, `CREATE DATABASE ${name}`);
    atEnd(() => onMysql(server, `DROP DATABASE IF EXISTS ${name}`).catch(() => undefined));
    return `${server}/${name}`;
  }
  return `${admin ?? (await redisUrl())}/${await emptyIndex(admin ?? (await redisUrl()))}`;
}

/** Returns the rows of one statement, which is sent on a new connection. */
export async function onPostgres(server: string, sql: string): Promise<readonly Record<string, unknown>[]> {
  const { default: pg } = await import("pg");
  const client = new pg.Client({ connectionString: /\/[^/@]+$/.test(new URL(server).pathname) ? server : `${server}/postgres` });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

/** Returns the rows of one statement, which is sent on a new connection. */
export async function onMysql(server: string, sql: string): Promise<readonly Record<string, unknown>[]> {
  const { createConnection } = await import("mysql2/promise");
  const connection = await createConnection({ uri: server });
  try {
    return (await connection.query(sql))[0] as readonly Record<string, unknown>[];
  } finally {
    await connection.end();
  }
}

/** Returns a database index without keys. Several tests can share it, because nobody writes to it. */
async function emptyIndex(server: string): Promise<number> {
  const { Redis } = await import("ioredis");
  const redis = new Redis(server);
  try {
    for (let index = 15; index >= 0; index--) {
      await redis.select(index);
      if ((await redis.dbsize()) === 0) return index;
    }
    throw new Error(`Every database index of ${server} holds keys; free one for the tests.`);
  } finally {
    redis.disconnect();
  }
}
