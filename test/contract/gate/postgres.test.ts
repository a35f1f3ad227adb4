import { afterAll, describe } from "vitest";
import pg from "pg";
import { PostgresAdapter } from "../../../src/adapters/postgres/index.ts";
import { databaseUrl, dropDatabase, dropDatabases, newDatabase } from "../system/postgres-databases.ts";
import { GATE_SCHEMA, gateContract, type GateSubject } from "./gate-contract.ts";
import type { Session } from "./race.ts";

const SCHEMA = [
  ...GATE_SCHEMA,
  `create function noted() returns trigger language plpgsql as 'begin insert into audit values (NEW.n); return NEW; end'`,
  "create trigger noted before update on counters for each row execute function noted()",
];

let template: Promise<string> | undefined;
afterAll(dropDatabases);

async function sessionOf(url: string): Promise<Session & { readonly client: pg.Client }> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => undefined);
  await client.connect();
  return {
    client,
    run: async (sql) => {
      const { rows } = await client.query<unknown[]>({ text: sql, rowMode: "array" });
      return rows.map((row) => row.map((value) => (typeof value === "string" && /^\d+$/.test(value) ? Number(value) : value)));
    },
    end: () => client.end(),
  };
}

async function subject(borrowed: boolean): Promise<GateSubject & { readonly url: string; readonly database: string }> {
  const database = await newDatabase([], await (template ??= newDatabase(SCHEMA)));
  const url = await databaseUrl(database);
  const system = new PostgresAdapter({ url, checkpoint: "journal" });
  await system.open({ name: "db", laneIndex: 0, inProcess: false, borrowed, gated: true });
  return {
    system,
    url,
    database,
    session: () => sessionOf(url),
    close: async () => {
      await system.close();
      await dropDatabase(database);
    },
  };
}

describe("gate of postgres", () => {
  gateContract({
    subject,
    updatesHeldUnlocked: true,
    isolation: (level) => `set session characteristics as transaction isolation level ${level}`,
    isSerializationFailure: (error) => (error as { code?: string }).code === "40001",
    isDuplicate: (error) => (error as { code?: string }).code === "23505",
  });
});
