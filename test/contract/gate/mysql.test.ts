import { afterAll, describe } from "vitest";
import mysql, { type Connection } from "mysql2/promise";
import { gateLocks } from "../../../src/adapters/mysql/gate-sql.ts";
import { MysqlAdapter, stores } from "../../../src/adapters/mysql/index.ts";
import { admin, databaseUrl, dropDatabase, dropDatabases, newDatabase } from "../system/mysql-databases.ts";
import { otherRuns } from "../../unit/adapters/other-run.ts";
import { GATE_SCHEMA, gateContract, type GateSubject } from "./gate-contract.ts";
import type { Session } from "./race.ts";

const SCHEMA = [...GATE_SCHEMA, "create trigger noted before update on counters for each row insert into audit values (NEW.n)"];

afterAll(dropDatabases);

async function sessionOf(url: string): Promise<Session & { readonly connection: Connection }> {
  const connection = await mysql.createConnection({ uri: url, rowsAsArray: true });
  connection.on("error", () => undefined);
  return {
    connection,
    run: async (sql) => {
      const [rows] = await connection.query(sql);
      return Array.isArray(rows) ? (rows as unknown[][]) : [];
    },
    end: () => connection.end(),
    kill: async () => void (await admin((other) => other.query(`kill ${connection.threadId}`))),
  };
}

type Subject = GateSubject & { readonly database: string };

async function subject({ borrowed, closed = false }: { readonly borrowed: boolean; readonly closed?: boolean }): Promise<Subject> {
  const database = await newDatabase(SCHEMA);
  const url = await databaseUrl(database);
  const system = new MysqlAdapter({ url, checkpoint: "journal" });
  if (!closed) await system.open({ name: "db", laneIndex: 0, inProcess: false, borrowed, gated: true });
  return {
    system,
    url,
    database,
    session: () => sessionOf(url),
    inventory: () => admin((connection) => inventory(connection, database), database),
    close: async () => {
      await system.close();
      await dropDatabase(database);
    },
  };
}

async function inventory(connection: Connection, database: string): Promise<string> {
  const [rows] = await connection.query({
    sql: `select concat_ws(' ', 'trigger', trigger_name, action_timing, event_manipulation, event_object_table, action_statement) from information_schema.triggers
            where trigger_schema = ? union all
          select concat('table ', table_name) from information_schema.tables where table_schema = ? union all
          select concat('routine ', routine_name) from information_schema.routines where routine_schema = ? union all
          select concat_ws(' ', 'row', id, n) from counters union all select concat_ws(' ', 'row', name) from loose order by 1`,
    values: [database, database, database],
    rowsAsArray: true,
  });
  return (rows as unknown as string[][]).map(([line]) => line).join("\n");
}

const runs = otherRuns("mysql");

describe("gate of mysql", () => {
  gateContract({
    subject,
    start: (body) => runs.start(body.replaceAll("Adapter(", "MysqlAdapter(")),
    clean: (url) => stores.clean(url),
    endOurs: (url) =>
      admin(async (connection) => {
        const database = decodeURIComponent(new URL(url).pathname.slice(1));
        const [ours] = await connection.query({ sql: "select is_used_lock(?)", values: [gateLocks(database).armed], rowsAsArray: true });
        await connection.query(`kill ${(ours as unknown as number[][])[0]![0]}`);
      }),
    updatesHeldUnlocked: false,
    isolation: (level) => `set session transaction isolation level ${level}`,
    isSerializationFailure: (error) => (error as { errno?: number }).errno === 1213,
    isDuplicate: (error) => (error as { errno?: number }).errno === 1062,
  });
});
