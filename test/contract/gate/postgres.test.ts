import { afterAll, describe } from "vitest";
import pg from "pg";
import { PostgresAdapter, stores } from "../../../src/adapters/postgres/index.ts";
import { admin, databaseUrl, dropDatabase, dropDatabases, newDatabase } from "../system/postgres-databases.ts";
import { otherRuns } from "../../unit/adapters/other-run.ts";
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
  const [{ pid } = { pid: 0 }] = (await client.query<{ pid: number }>("select pg_backend_pid() as pid")).rows;
  return {
    client,
    run: async (sql) => {
      const { rows } = await client.query<unknown[]>({ text: sql, rowMode: "array" });
      return rows.map((row) => row.map((value) => (typeof value === "string" && /^\d+$/.test(value) ? Number(value) : value)));
    },
    end: () => client.end(),
    kill: async () => void (await admin((other) => other.query(`select pg_terminate_backend(${pid})`))),
  };
}

type Subject = GateSubject & { readonly database: string };

async function subject({ borrowed, closed = false }: { readonly borrowed: boolean; readonly closed?: boolean }): Promise<Subject> {
  const database = await newDatabase([], await (template ??= newDatabase(SCHEMA)));
  const url = await databaseUrl(database);
  const system = new PostgresAdapter({ url, checkpoint: "journal" });
  if (!closed) await system.open({ name: "db", laneIndex: 0, inProcess: false, borrowed, gated: true });
  return {
    system,
    url,
    database,
    session: () => sessionOf(url),
    inventory: () => admin(inventory, database),
    close: async () => {
      await system.close();
      await dropDatabase(database);
    },
  };
}

async function inventory(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ line: string }>(`
    select line from (
      select 'schema ' || nspname from pg_namespace where nspname !~ '^pg_(temp|toast)'
      union all select 'trigger ' || pg_get_triggerdef(oid) from pg_trigger where not tgisinternal
      union all select 'event trigger ' || evtname from pg_event_trigger
      union all select 'function ' || p.oid::regprocedure from pg_proc p where p.oid >= 16384
      union all select 'relation ' || c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname = 'public'
      union all select 'row ' || (t.*)::text from counters t
      union all select 'row ' || (t.*)::text from loose t) x(line) order by line collate "C"`);
  return rows.map(({ line }) => line).join("\n");
}

const runs = otherRuns("postgres");

describe("gate of postgres", () => {
  gateContract({
    subject,
    start: (body) => runs.start(body.replaceAll("Adapter(", "PostgresAdapter(")),
    clean: (url) => stores.clean(url),
    endOurs: (url) =>
      admin(async (client) => {
        const database = decodeURIComponent(new URL(url).pathname.slice(1));
        await client.query("select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and application_name = 'seqqa'", [
          database,
        ]);
      }),
    updatesHeldUnlocked: true,
    isolation: (level) => `set session characteristics as transaction isolation level ${level}`,
    isSerializationFailure: (error) => (error as { code?: string }).code === "40001",
    isDuplicate: (error) => (error as { code?: string }).code === "23505",
  });
});
