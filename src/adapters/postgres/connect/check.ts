import type { Client } from "pg";
import { SeqqaError } from "../../../model/errors.ts";
import { hasChanges } from "../../../model/stores/leftover.ts";
import { COPIED, type StoreCheck, type StoreUse } from "../../../model/stores/store-provider.ts";
import { leftBehind, refusedWhereItIs, requireNotInPlace } from "../../../stores/external/external-store.ts";
import { inUseError } from "../../../stores/connect/store-errors.ts";
import { inPlaceRun, recover } from "../journal/recover.ts";
import { readCatalog, rowsOf } from "../schema/catalog.ts";
import { connect, CONTROL_SETTINGS } from "./connect.ts";
import { connectError, safeCause } from "./failures.ts";
import { CLONE_COST, journalObstacle, locksObstacle } from "../journal/obstacles.ts";
import { takeRights, type Rights } from "../journal/rights.ts";
import { storeUrl, type StoreUrl } from "./store-url.ts";
import { templateFacts, type TemplateFacts } from "../provider/template.ts";
import { findDumpTools } from "../provider/template-dump.ts";

/** `seqqa doctor` warns if fewer connections than this are free, because each lane's target opens a pool of connections. */
const FEW_CONNECTIONS = 20;

/** Checks a database for `seqqa doctor`. Changes nothing in the database. */
export async function check(url: string, use: StoreUse = COPIED): Promise<readonly StoreCheck[]> {
  let store: StoreUrl;
  let client: Client;
  try {
    store = storeUrl(url);
    client = await connect(store, { rawText: true, settings: CONTROL_SETTINGS });
  } catch (error) {
    return [failed("reachable", error)];
  }
  const checks: StoreCheck[] = [];
  const add = async (what: string, find: () => Promise<StoreCheck>): Promise<void> => {
    checks.push(await find().catch((error: unknown) => failed(what, error instanceof SeqqaError ? error : safeCause(store, error))));
  };
  try {
    await add("reachable", async () => {
      const [version] = await rowsOf<[string]>(client, "select split_part(current_setting('server_version'), ' ', 1)");
      return { ok: true, what: "reachable", says: `PostgreSQL ${version?.[0] ?? ""} at ${store.shown}` };
    });
    const facts = await templateFacts(client, store);
    if (!use.inPlace) await add("lanes", () => lanes(store, facts));
    await add("checkpoint", () => checkpoint(client, store, facts, use));
    await add("connections", () => connections(client));
    await add("speed", () => speed(client, store));
    await add("leftovers", () => leftovers(client, store, use));
  } catch (error) {
    checks.push(failed("catalog", connectError(store, error)));
  } finally {
    await client.end().catch(() => undefined);
  }
  return checks;
}

async function lanes(store: StoreUrl, facts: TemplateFacts): Promise<StoreCheck> {
  const what = "lanes";
  if (!facts.createDb) {
    return {
      ok: false,
      what,
      says: "the role is not allowed to create databases, but each lane needs its own database. Type: ALTER ROLE ... CREATEDB",
    };
  }
  if (facts.mayCopy && facts.sessions === 0) return { ok: true, what, says: "seqqa copies the database with CREATE DATABASE ... TEMPLATE" };
  const why = facts.mayCopy
    ? `${facts.sessions} ${facts.sessions === 1 ? "session is" : "sessions are"} open on the database`
    : "the database belongs to another role";
  await findDumpTools(store, facts.version, why);
  return { ok: true, what, says: `seqqa copies the database with pg_dump, because ${why}` };
}

async function checkpoint(client: Client, store: StoreUrl, facts: TemplateFacts, { inPlace, inProcess }: StoreUse): Promise<StoreCheck> {
  const catalog = await readCatalog(client);
  const rights = await takeRights(client);
  const here = (await journalObstacle(client, rights, catalog)) ?? (inPlace ? await locksObstacle(client, rights, catalog) : undefined);
  if (inPlace && here !== undefined && !inProcess) throw refusedWhereItIs("clone", `the database ${store.shown}`, here);
  // If the role is allowed to create databases but not to copy the template, pg_dump makes the copy. All objects in such a copy belong to the role.
  const isCopied = !inPlace && facts.createDb && !facts.mayCopy;
  const obstacle = isCopied ? await journalObstacle(client, rights, catalog, true) : here;
  const within = "for an in-process target that uses seqqa's connection, auto chooses savepoint";
  const says =
    obstacle === undefined
      ? `auto chooses journal (${rightsText(rights)}, and seqqa can restore all tables of the schema by triggers); ${within}`
      : `auto chooses clone, because the journal cannot be used: ${obstacle}; ${CLONE_COST}; ${within}`;
  const [elsewhere] = catalog.foreign;
  const apart =
    elsewhere === undefined
      ? ""
      : `; seqqa cannot restore the rows of the foreign table "${elsewhere.fullName}": list all other tables of the state in \`tables\``;
  return { ok: true, what: "checkpoint", says: says + apart };
}

function rightsText({ superuser, replica }: Rights): string {
  if (superuser) return "the role is a superuser";
  return replica ? "the role owns the tables and can set session_replication_role" : "the role owns the tables";
}

async function connections(client: Client): Promise<StoreCheck> {
  const [row] = await rowsOf<[string, string]>(
    client,
    `select current_setting('max_connections'), (select count(*) from pg_stat_activity where backend_type = 'client backend')::text`,
  );
  const [most, used] = [Number(row?.[0]), Number(row?.[1])];
  const says = `${used} of ${most} connections are in use`;
  return most - used >= FEW_CONNECTIONS
    ? { ok: true, what: "connections", says }
    : {
        ok: false,
        what: "connections",
        says: `${says}. Raise max_connections or end sessions, because the target of each lane opens more connections`,
      };
}

async function speed(client: Client, store: StoreUrl): Promise<StoreCheck> {
  // seqqa turns `synchronous_commit` off in its own session. Read the value that other sessions get.
  const [row] = await rowsOf<[string, string]>(
    client,
    `select current_setting('fsync'), coalesce(
       (select split_part(c, '=', 2) from pg_db_role_setting s join pg_database d on d.oid = s.setdatabase, unnest(s.setconfig) c
         where d.datname = current_database() and s.setrole = 0 and c like 'synchronous_commit=%' limit 1),
       (select reset_val from pg_settings where name = 'synchronous_commit'))`,
  );
  const waits = row?.[0] === "on" && row[1] !== "off";
  const hint = `each commit waits for the disk, except in the copies that seqqa makes for lanes. If you start the target yourself, make its commits faster. Type: ALTER DATABASE "${store.database}" SET synchronous_commit = off`;
  return { ok: true, what: "speed", says: waits ? hint : "commits do not wait for the disk" };
}

/** Checks that no other run uses the database in place or left changes in it. */
async function leftovers(client: Client, store: StoreUrl, { inPlace }: StoreUse): Promise<StoreCheck> {
  const run = await inPlaceRun(client);
  if (!inPlace) requireNotInPlace(`the database ${store.shown}`, run);
  else if (run === "alive") throw inUseError(store);
  const found = inPlace && run === "dead" ? await recover(store, { dryRun: true }) : undefined;
  if (hasChanges(found)) throw leftBehind(found);
  return { ok: true, what: "leftovers", says: "none" };
}

function failed(what: string, error: unknown): StoreCheck {
  const hint = error instanceof SeqqaError && error.hint !== undefined ? ` ${error.hint}` : "";
  return { ok: false, what, says: `${error instanceof Error ? error.message : String(error)}${hint}` };
}
