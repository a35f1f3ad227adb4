import Database from "better-sqlite3";
import { Control } from "../../../src/adapters/mysql/connect/control.ts";
import { storeUrl as mysqlUrl } from "../../../src/adapters/mysql/connect/store-url.ts";
import { dumpDatabase as dumpMysql } from "../../../src/adapters/mysql/read/dump.ts";
import { connect, TEXT_SETTINGS } from "../../../src/adapters/postgres/connect/connect.ts";
import { storeUrl as postgresUrl } from "../../../src/adapters/postgres/connect/store-url.ts";
import { dumpDatabase as dumpPostgres } from "../../../src/adapters/postgres/read/dump.ts";
import { Connection } from "../../../src/adapters/redis/connect/driver.ts";
import { redisPlace } from "../../../src/adapters/redis/connect/redis-url.ts";
import { dumpKeys } from "../../../src/adapters/redis/dump/dump-text.ts";
import { Keyspace } from "../../../src/adapters/redis/keys/keyspace.ts";
import { dumpDatabase as dumpSqlite } from "../../../src/adapters/sqlite/read/dump.ts";

export interface StoreDump {
  /** Returns the whole content of the store as text, read on a separate connection. */
  dump(): Promise<string>;
  close(): Promise<void>;
}

/** Functions that open a separate connection for dumps, which the world does not know. */
export const storeDumps: Readonly<Record<"sqlite" | "postgres" | "mysql" | "redis", (url: string) => Promise<StoreDump>>> = {
  sqlite: async (url) => {
    const db = new Database(url.slice("sqlite:".length), { timeout: 5000 });
    return { dump: async () => dumpSqlite(db), close: async () => void db.close() };
  },
  postgres: async (url) => {
    const client = await connect(postgresUrl(url), { settings: TEXT_SETTINGS, rawText: true });
    return {
      dump: async () => {
        await client.query("begin isolation level repeatable read read only");
        try {
          return await dumpPostgres(client);
        } finally {
          await client.query("rollback");
        }
      },
      close: () => client.end(),
    };
  },
  mysql: async (url) => {
    const control = await Control.open(mysqlUrl(url), false);
    return { dump: () => dumpMysql(control, false), close: () => control.close() };
  },
  redis: async (url) => {
    const connection = await Connection.open(redisPlace(url));
    const keyspace = new Keyspace(connection, true);
    return { dump: () => dumpKeys(keyspace), close: async () => connection.close() };
  },
};
