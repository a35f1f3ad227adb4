import { randomBytes } from "node:crypto";
import pg from "pg";
import { CHECKS, type BareStore, type Change } from "./bare-store.ts";

/** Number of log entries after which the log is vacuumed. The adapter uses the same number. */
const VACUUM = 2000;
const LOOK = "with d as (delete from log returning o, n) select o, n from d";
const BUSY =
  "(select count(*)::int from pg_stat_get_activity(null) a where a.backend_xid is not null and a.pid <> pg_backend_pid() and a.datid = (select oid from pg_database where datname = current_database()))";

/** Creates a database with the settings of a lane's database: a commit does not wait for the disk. A row trigger writes the log. */
export async function barePostgres(server: string): Promise<BareStore> {
  const name = `seqqa_test_bench_${randomBytes(4).toString("hex")}`;
  const admin = await connect(`${server}/postgres`);
  await admin.query(`create database ${name}`);
  await admin.query(`alter database ${name} set synchronous_commit = off`);
  const url = `${server}/${name}`;
  const [control, checks] = [await connect(url), await connect(url)];
  let entries = 0;
  return {
    url,
    prepare: async () => {
      await control.query("create unlogged table log(o text, n text) with (autovacuum_enabled = off)");
      await control.query(
        "create function note() returns trigger language plpgsql as 'begin insert into log values (OLD::text, NEW::text); return null; end'",
      );
      await control.query("create trigger note after insert or update or delete on orders for each row execute function note()");
      // With this setting, writes of this session do not fire the trigger.
      await control.query("set session_replication_role = replica; set jit = off; set plan_cache_mode = force_generic_plan");
    },
    look: async () => {
      const { rows } = await control.query<{ o: string | null; n: string | null }>({ name: "look", text: LOOK });
      entries += rows.length;
      if (entries >= VACUUM) {
        entries = 0;
        await control.query("vacuum (truncate false, skip_locked true) log");
        await control.query("vacuum (truncate false, skip_locked true) orders");
      }
      return rows.map(({ o, n }): Change => [keyOf((n ?? o)!), n ?? undefined]);
    },
    mark: async () => {
      const { rows } = await control.query<{ busy: number; logged: boolean }>({
        name: "mark",
        text: `select ${BUSY} as busy, exists(select from log) as logged`,
      });
      if (rows[0]!.busy > 0) throw new Error("Another session is in the middle of a write.");
      return rows[0]!.logged ? [["log", "written"]] : [];
    },
    // PostgreSQL executes several statements in one text as one transaction.
    put: async (changes) => {
      const come = changes.flatMap(([, content]) => (content === undefined ? [] : [`'${content}'`]));
      const insert = `insert into orders select (x::orders).* from unnest(array[${come.join(", ")}]::text[]) x`;
      const remove = `delete from orders where id in (${changes.map(([key]) => key).join(", ")})`;
      await control.query([remove, ...(come.length > 0 ? [insert] : [])].join("; "));
    },
    check: (check) => checks.query(CHECKS[check]),
    close: async () => {
      await control.end();
      await checks.end();
      await admin.query(`drop database if exists ${name} with (force)`);
      await admin.end();
    },
  };
}

/** Returns the id of a row in text form, such as `(1,100,0,created,0)`. */
function keyOf(row: string): string {
  return row.slice(1, row.indexOf(","));
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => undefined);
  await client.connect();
  return client;
}
