import { setTimeout as pause } from "node:timers/promises";
import type { Client } from "pg";
import { SeqqaError } from "../../../model/errors.ts";
import { requireNotInPlace } from "../../../stores/external/external-store.ts";
import { connect } from "../connect/connect.ts";
import { inPlaceRun } from "../journal/recover.ts";
import { rowsOf } from "../schema/catalog.ts";
import { codeOf } from "../connect/failures.ts";
import { provideError, templateMissing } from "./provider-failures.ts";
import { quoteName, quoteText } from "../connect/sql-text.ts";
import { withDatabase, type StoreUrl } from "../connect/store-url.ts";
import { copyByDump, findDumpTools } from "./template-dump.ts";

/** The longest time, in milliseconds, to wait until no session is connected to the run's template. */
const IN_USE_MS = 10_000;

export interface TemplateFacts {
  readonly superuser: boolean;
  readonly createDb: boolean;
  /**
   * `true` if the role is allowed to copy the template with CREATE DATABASE: the role is a superuser, the role owns the database, or the database is
   * marked as a template.
   */
  readonly mayCopy: boolean;
  /** The number of other sessions that are connected to the template. */
  readonly sessions: number;
  readonly version: number;
}

/** Reads properties of the template and of the role. @throws SeqqaError `STORE_MISSING` */
export async function templateFacts(client: Client, store: StoreUrl): Promise<TemplateFacts> {
  const [facts] = await rowsOf<[string, string, string, string, string]>(
    client,
    `select r.rolsuper::text, r.rolcreatedb::text, (d.datistemplate or pg_has_role(d.datdba, 'usage'))::text,
            (select count(*) from pg_stat_activity a where a.datid = d.oid and a.pid <> pg_backend_pid() and a.backend_type <> 'autovacuum worker')::text,
            current_setting('server_version_num')
       from pg_database d, pg_roles r where d.datname = ${quoteText(store.database)} and r.rolname = current_user`,
  );
  if (facts === undefined) throw templateMissing(store);
  const [superuser, createDb, owns, sessions, version] = facts;
  return {
    superuser: superuser === "true",
    createDb: superuser === "true" || createDb === "true",
    mayCopy: superuser === "true" || owns === "true",
    sessions: Number(sessions),
    version: Math.floor(Number(version) / 10_000),
  };
}

/**
 * Copies a database with CREATE DATABASE if the role is allowed to do so, no session uses the database, and its collations have the server's
 * versions. Otherwise copies with pg_dump. Does not change the source.
 */
export async function copyTemplate(client: Client, store: StoreUrl, copy: string): Promise<void> {
  const facts = await templateFacts(client, store);
  await requireUntouched(store);
  let why = `${facts.sessions} ${facts.sessions === 1 ? "session is" : "sessions are"} open on the database`;
  if (facts.mayCopy && facts.sessions === 0) {
    try {
      // This statement fails if a session has connected since the check. Use pg_dump then, because the session would probably connect again.
      await client.query(`create database ${quoteName(copy)} template ${quoteName(store.database)}`);
      return;
    } catch (error) {
      if (codeOf(error) === "55006") why = "a session is open on the database";
      else if (isOutdated(error)) why = "its collations have another version than those of the server";
      else throw provideError(store, "copy the database", error);
    }
  } else if (!facts.mayCopy) {
    why = "the database belongs to another role";
  }
  const tools = await findDumpTools(store, facts.version, why);
  await createEmpty(client, store, copy);
  await copyByDump(store, withDatabase(store, copy), tools, facts.superuser);
}

/** Returns `true` if the server (15 or later) refuses to copy a database because a newer operating system sorts text differently. */
function isOutdated(error: unknown): boolean {
  return codeOf(error) === "XX000" && /collation version/i.test((error as Error).message);
}

/** Checks that the template has no changes of a run that uses the template in place. @throws SeqqaError `STORE_IN_USE`, `STORE_LEFT` */
async function requireUntouched(store: StoreUrl): Promise<void> {
  let client: Client;
  try {
    client = await connect(store, { rawText: true });
  } catch (error) {
    // CREATE DATABASE can copy a database even if this role, or every role, is not allowed to connect to it. No run can use such a database in place.
    const cause = error instanceof SeqqaError ? error.cause : undefined;
    if (["42501", "28000", "55000"].includes(codeOf(cause))) return;
    throw error;
  }
  try {
    requireNotInPlace(`the database ${store.shown}`, await inPlaceRun(client));
  } finally {
    await client.end();
  }
}

async function createEmpty(client: Client, store: StoreUrl, name: string): Promise<void> {
  const [row] = await rowsOf<[string]>(
    client,
    `select to_jsonb(d)::text || '' from pg_database d where d.datname = ${quoteText(store.database)}`,
  );
  const [encoding] = await rowsOf<[string]>(
    client,
    `select pg_encoding_to_char(encoding) from pg_database where datname = ${quoteText(store.database)}`,
  );
  // Read the whole row as JSON, because the names of its columns differ between versions.
  const database = JSON.parse(row?.[0] ?? "{}") as Readonly<Record<string, string | null | undefined>>;
  const provider = database["datlocprovider"];
  const icu = database["datlocale"] ?? database["daticulocale"];
  const options = [
    "template template0",
    `encoding ${quoteText(encoding?.[0] ?? "UTF8")}`,
    `lc_collate ${quoteText(database["datcollate"] ?? "C")}`,
    `lc_ctype ${quoteText(database["datctype"] ?? "C")}`,
    ...(provider === "i" && icu ? [`locale_provider icu`, `icu_locale ${quoteText(icu)}`] : []),
    ...(provider === "b" && icu ? [`locale_provider builtin`, `builtin_locale ${quoteText(icu)}`] : []),
  ];
  try {
    await client.query(`create database ${quoteName(name)} ${options.join(" ")}`);
  } catch (error) {
    throw provideError(store, "create a database", error);
  }
}

/** Creates a lane's database from the run's template. If sessions are connected to the template, waits up to `IN_USE_MS` for their end. */
export async function createFrom(client: Client, store: StoreUrl, template: string, name: string): Promise<void> {
  for (const until = performance.now() + IN_USE_MS; ; await pause(100)) {
    try {
      await client.query(`create database ${quoteName(name)} template ${quoteName(template)}`);
      return;
    } catch (error) {
      if (codeOf(error) !== "55006" || performance.now() > until) throw provideError(store, "create a lane's database", error);
    }
  }
}
