import { createHash } from "node:crypto";
import { atEnd } from "./at-end.ts";
import { size } from "../sizes.ts";
import { until } from "./e2e.ts";
import { mysql, postgres } from "./services/kinds.ts";
import { find, type Service } from "./services/service.ts";
import { onMysql, onPostgres, template } from "./store-templates.ts";

/** A server for one test, which can damage it without affecting other tests. */
export interface OwnServer {
  /** The URL of an empty database on the server. */
  readonly template: string;
  /** Kills the server, and starts it again on the same data after `downMs` milliseconds. */
  restart(downMs?: number): Promise<void>;
  /** Returns the names of the databases that runs have created. */
  ofRuns(): Promise<readonly string[]>;
  /** Waits until the targets of this number of lanes have committed some steps. */
  untilAtWork(lanes: number): Promise<void>;
  /** Ends seqqa's own sessions in the databases of lanes. */
  endOurs(): Promise<void>;
  /** Ends every session on the server. */
  endAll(): Promise<void>;
}

const RUNS = "^seqqa_[0-9a-f]+_";
const LANES = "^seqqa_[0-9a-f]+_.*_lane[0-9]+_[0-9]+$";

export async function ownServer(kind: "postgres" | "mysql"): Promise<OwnServer> {
  return kind === "postgres" ? ownPostgres() : ownMysql();
}

async function started(
  service: Service,
  looks: (url: string) => Promise<boolean>,
): Promise<{ readonly url: string; readonly restart: (downMs?: number) => Promise<void> }> {
  const found = await find(service, { running: false });
  if (found.kind === "missing") throw new Error(found.problem);
  atEnd(found.stop);
  // A server that recovers accepts connections before it is ready, and then refuses the sessions.
  const ready = (): Promise<void> => until(() => looks(found.url), `${service.name} to be ready`, 60_000);
  await ready();
  return { url: found.url, restart: async (downMs) => (await found.restart!(downMs), ready()) };
}

async function ownPostgres(): Promise<OwnServer> {
  const { url, restart } = await started(postgres, (url) =>
    onPostgres(url, "SELECT 1").then(
      () => true,
      () => false,
    ),
  );
  const column = async (sql: string): Promise<readonly string[]> =>
    (await onPostgres(url, sql)).map((row) => String(Object.values(row)[0]));
  const end = (which: string): Promise<unknown> =>
    column(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND ${which}`);
  return {
    template: await template("postgres", url),
    restart,
    ofRuns: () => column(`SELECT datname FROM pg_database WHERE datname ~ '${RUNS}'`),
    untilAtWork: (lanes) =>
      until(
        async () =>
          (await column(`SELECT datname FROM pg_stat_database WHERE datname ~ '${LANES}' AND xact_commit > ${size(60, 300)}`)).length >=
          lanes,
        `work in ${lanes} lanes`,
        60_000,
      ),
    endOurs: async () => void (await end(`datname ~ '${LANES}' AND application_name LIKE 'seqqa%'`)),
    endAll: async () => void (await end("backend_type = 'client backend'")),
  };
}

async function ownMysql(): Promise<OwnServer> {
  const { url, restart } = await started(mysql, (url) =>
    onMysql(url, "SELECT 1").then(
      () => true,
      () => false,
    ),
  );
  const column = async (sql: string): Promise<readonly string[]> => (await onMysql(url, sql)).map((row) => String(Object.values(row)[0]));
  const kill = async (ids: readonly string[]): Promise<void> => {
    // Ignore the error, because the session may have ended by itself.
    for (const id of ids) await onMysql(url, `KILL ${id}`).catch(() => undefined);
  };
  const databases = (which: string): Promise<readonly string[]> =>
    column(`SELECT schema_name FROM information_schema.schemata WHERE schema_name REGEXP '${which}'`);
  return {
    template: await template("mysql", url),
    restart,
    ofRuns: () => databases(RUNS),
    untilAtWork: async (lanes) => {
      await onMysql(url, "SET GLOBAL userstat = 1");
      const busy = `SELECT s.schema_name FROM information_schema.schemata s JOIN information_schema.table_statistics t ON t.table_schema = s.schema_name
        WHERE s.schema_name REGEXP '${LANES}' AND t.table_name = 'orders' AND t.rows_changed > ${size(8, 60)}`;
      await until(async () => (await column(busy)).length >= lanes, `work in ${lanes} lanes`, 60_000);
    },
    endOurs: async () => {
      // Sessions have no name in MySQL. A session of seqqa is recognised by its lock on the database of a lane.
      const locks = (await databases(LANES)).map((name) => createHash("sha256").update(name).digest("hex").slice(0, 32));
      const ids = await Promise.all(locks.map(async (lock) => (await column(`SELECT IS_USED_LOCK('seqqa store ${lock}')`))[0]!));
      const held = ids.filter((id) => /^\d+$/.test(id));
      if (held.length === 0) throw new Error("No session of ours was found.");
      await kill(held);
    },
    endAll: async () => {
      // End all sessions at once. If the target's sessions ended well before those of seqqa, its failure would look like a defect of the target. The
      // command also ends its own session, so its error is ignored.
      await onMysql(url, "KILL USER root").catch(() => undefined);
    },
  };
}
