import Database from "better-sqlite3";
import { newDatabase as newMysql, databaseUrl as mysqlUrl } from "../../contract/system/mysql-databases.ts";
import * as mysqlWorld from "../../contract/system/mysql-world.ts";
import { newDatabase as newPostgres, databaseUrl as postgresUrl } from "../../contract/system/postgres-databases.ts";
import * as postgresWorld from "../../contract/system/postgres-world.ts";
import type { Random } from "../../contract/system/random.ts";
import * as redisWorld from "../../contract/system/redis-world.ts";
import * as sqliteWorld from "../../contract/system/sqlite-world.ts";
import { Writer } from "../../contract/system/writers/writer.ts";
import { atEnd } from "../at-end.ts";
import { redis } from "../services/kinds.ts";
import { find } from "../services/service.ts";
import { scratchFile } from "../sqlite-scratch.ts";

/** A process that writes to a store. */
export interface WorldWriter {
  write(random: Random): Promise<unknown>;
  stop(): Promise<void>;
}

/** A kind of store for tests of worlds: many kinds of tables or keys, and random writes to them. */
export interface WorldKind {
  /** Creates a store with data, and returns its URL. The store is removed after the tests of the file. */
  template(): Promise<string>;
  /** Starts a process that writes to a copy of the store. */
  writer(url: string): WorldWriter;
}

export const worldKinds: Readonly<Record<"sqlite" | "postgres" | "mysql" | "redis", WorldKind>> = {
  sqlite: {
    template: async () => {
      const file = scratchFile();
      const db = new Database(file);
      for (const sql of [...sqliteWorld.SCHEMA, ...sqliteWorld.SEED]) db.exec(sql);
      db.close();
      return `sqlite:${file}`;
    },
    writer: (url) => of(new Writer("node-writer.mjs", url.slice("sqlite:".length), "wal"), sqliteWorld.randomStatements),
  },
  postgres: {
    template: async () => postgresUrl(await newPostgres([...postgresWorld.SCHEMA, ...postgresWorld.SEED])),
    writer: (url) => of(new Writer("postgres-writer.mjs", url), postgresWorld.randomStatements),
  },
  mysql: {
    template: async () => mysqlUrl(await newMysql(["set timestamp = 1700000000", ...mysqlWorld.SCHEMA, ...mysqlWorld.SEED])),
    writer: (url) => of(new Writer("mysql-writer.mjs", url), mysqlWorld.randomStatements),
  },
  redis: {
    template: async () => {
      const server = await find(redis, { running: false });
      if (server.kind === "missing") throw new Error(server.problem);
      atEnd(() => server.stop());
      const writer = new Writer<redisWorld.Command>("redis-writer.mjs", ...placeOf(server.url));
      const refused = await writer.run(...redisWorld.SEED);
      await writer.stop();
      if (refused > 0) throw new Error(`${refused} commands of the seed were refused`);
      return server.url;
    },
    writer: (url) =>
      of(new Writer<redisWorld.Command>("redis-writer.mjs", ...placeOf(url)), (random) => redisWorld.randomCommands(random, 2)),
  },
};

function of<Command>(writer: Writer<Command>, commands: (random: Random) => readonly Command[]): WorldWriter {
  return { write: (random) => writer.run(...commands(random)), stop: () => writer.stop() };
}

function placeOf(url: string): readonly [host: string, port: string, database: string] {
  const { hostname, port, pathname } = new URL(url);
  return [hostname, port, pathname.slice(1) || "0"];
}
