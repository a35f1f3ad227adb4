import { randomBytes } from "node:crypto";
import mysql, { type Connection } from "mysql2/promise";
import { atEnd } from "../../support/at-end.ts";
import { mysqlUrl } from "../../support/services.ts";

/** Databases of the running test file. */
const made = new Set<string>();

export async function admin<T>(work: (connection: Connection) => Promise<T>, database?: string): Promise<T> {
  const url = new URL(await mysqlUrl());
  const connection = await mysql.createConnection({
    host: url.hostname,
    port: Number(url.port || 3306),
    user: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    multipleStatements: true,
    ...(database === undefined ? {} : { database }),
  });
  try {
    return await work(connection);
  } finally {
    await connection.end();
  }
}

export async function databaseUrl(database: string): Promise<string> {
  return `${(await mysqlUrl()).replace(/\/$/, "")}/${encodeURIComponent(database)}`;
}

/** A new database with these statements run in it, dropped at the end of the test file at the latest; its name. */
export async function newDatabase(
  statements: readonly string[] = [],
  suffix = "",
  name = `seqqa_test_${randomBytes(6).toString("hex")}${suffix}`,
): Promise<string> {
  await admin((connection) => connection.query(`create database \`${name}\` character set utf8mb4`));
  if (made.size === 0) atEnd(dropAll);
  made.add(name);
  await admin(async (connection) => {
    await connection.query("set sql_mode = 'ALLOW_INVALID_DATES'");
    for (const sql of statements) await connection.query(sql);
  }, name);
  return name;
}

export async function dropDatabase(name: string): Promise<void> {
  made.delete(name);
  await admin((connection) => connection.query(`drop database if exists \`${name}\``));
}

async function dropAll(): Promise<void> {
  const left = [...made];
  made.clear();
  for (const name of left) await dropDatabase(name);
}
