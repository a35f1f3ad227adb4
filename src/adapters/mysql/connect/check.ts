import { randomBytes } from "node:crypto";
import { SeqqaError } from "../../../model/errors.ts";
import { hasChanges } from "../../../model/stores/leftover.ts";
import { COPIED, type StoreCheck, type StoreUse } from "../../../model/stores/store-provider.ts";
import { DatabaseNames } from "../../../stores/provider/database-names.ts";
import { leftBehind, refusedWhereItIs, requireNotInPlace } from "../../../stores/external/external-store.ts";
import { inUseError } from "../../../stores/connect/store-errors.ts";
import { inPlaceRun, recover } from "../journal/recover.ts";
import { dropDatabase } from "../provider/databases.ts";
import { NAMING } from "../provider/provider-names.ts";
import { claim } from "../provider/sweep.ts";
import { Server, type Ask } from "./server.ts";
import { quoteName } from "./sql-text.ts";
import { OURS, readCatalog } from "../schema/catalog.ts";
import { Control } from "./control.ts";
import { safeCause } from "./failures.ts";
import { journalObstacle } from "../journal/obstacles.ts";
import { savepointObstacle } from "../savepoint/savepoint-install.ts";
import { storeUrl, type StoreUrl } from "./store-url.ts";

/** `seqqa doctor` warns if fewer connections than this are free, because each lane's target opens a pool of connections. */
const FEW_CONNECTIONS = 20;

/** Checks a database for `seqqa doctor`. Writes nothing to a database that lanes copy, and removes all objects that the check creates. */
export async function check(url: string, use: StoreUse = COPIED): Promise<readonly StoreCheck[]> {
  let store: StoreUrl;
  let control: Control;
  try {
    store = storeUrl(url);
    control = await Control.open(store, false);
  } catch (error) {
    return [failed("reachable", error)];
  }
  const checks: StoreCheck[] = [];
  const add = async (what: string, find: () => Promise<{ ok: boolean; says: string }>): Promise<void> => {
    try {
      checks.push({ what, ...(await find()) });
    } catch (error) {
      checks.push(failed(what, error instanceof SeqqaError ? error : safeCause(store, error)));
    }
  };
  try {
    await add("reachable", async () => ({ ok: true, says: `${(await one(control, "select version()")) ?? ""} at ${store.shown}` }));
    await add("privileges", () => (use.inPlace ? mayInstall((sql) => control.rows(sql), store) : mayCopy(store)));
    await add("checkpoint", () => checkpoint(control, use));
    await add("connections", () => connections(control));
    await add("speed", async () => {
      const waits = (await one(control, "select @@global.innodb_flush_log_at_trx_commit")) === "1";
      const hint =
        "each commit waits for the disk. If the server is only for tests, make its commits faster. Type: SET GLOBAL innodb_flush_log_at_trx_commit = 2";
      return { ok: true, says: waits ? hint : "commits do not wait for the disk" };
    });
    await add("leftovers", () => leftovers(control, use));
  } finally {
    await control.close();
  }
  return checks;
}

async function one(control: Control, sql: string): Promise<string | null | undefined> {
  return (await control.rows(sql))[0]?.[0];
}

/**
 * Tests if the user is allowed to create a database with a table and a trigger, which lanes need. The test creates such a database and drops it
 * again.
 */
async function mayCopy(store: StoreUrl): Promise<{ ok: boolean; says: string }> {
  const runId = randomBytes(4).toString("hex");
  const name = new DatabaseNames(runId, "check", NAMING).lane(0, 0);
  const server = new Server(store, (ask) => claim(ask, runId));
  try {
    return await server.use("create a database for a lane", async (ask, beside) => {
      try {
        await ask(`create database if not exists ${quoteName(name)}`);
        return await mayInstall(ask, store, `${quoteName(name)}.`);
      } finally {
        await dropDatabase(ask, name, beside);
      }
    });
  } finally {
    await server.close();
  }
}

/**
 * Tests if the user is allowed to create a table and a trigger in a database. The test creates both and drops them again. `within`: the prefix of
 * names in the database.
 */
async function mayInstall(ask: Ask, store: StoreUrl, within = ""): Promise<{ ok: boolean; says: string }> {
  const table = `${within}${OURS}check`;
  try {
    await ask(`create table ${table}(a int) engine=InnoDB`);
    await ask(`create trigger ${table} after insert on ${table} for each row set @seqqa_check = 1`);
  } catch (error) {
    const why = error instanceof SeqqaError ? error.message : safeCause(store, error).message;
    return {
      ok: false,
      says: `the user is not allowed to create the tables and triggers with which seqqa restores data: ${why}. Grant CREATE, DROP and TRIGGER to the user. If the binary log is on, also type: SET GLOBAL log_bin_trust_function_creators = 1`,
    };
  } finally {
    await ask(`drop table if exists ${table}`).catch(() => undefined);
  }
  return { ok: true, says: "the user can create tables and triggers" };
}

/** Checks that no other run uses the database in place or left changes in it. */
async function leftovers(control: Control, { inPlace }: StoreUse): Promise<{ ok: boolean; says: string }> {
  const { store } = control;
  const run = await inPlaceRun((sql) => control.rows(sql), store.database);
  if (!inPlace) requireNotInPlace(`the database ${store.shown}`, run);
  else if (run === "alive") throw inUseError(store);
  const found = inPlace && run === "dead" ? await recover(store.href, { dryRun: true }) : undefined;
  if (hasChanges(found)) throw leftBehind(found);
  return { ok: true, says: "none" };
}

async function checkpoint(control: Control, { inPlace, inProcess }: StoreUse): Promise<{ ok: boolean; says: string }> {
  const catalog = await readCatalog(control);
  if (catalog.strange.length > 0) return { ok: false, says: `seqqa cannot restore the database: ${catalog.strange[0]!}` };
  const obstacle = journalObstacle(catalog);
  if (inPlace && !inProcess && obstacle !== undefined) throw refusedWhereItIs("copy", `the database ${control.store.shown}`, obstacle);
  const hindered = savepointObstacle(catalog);
  const apart =
    obstacle === undefined
      ? "auto chooses journal, because seqqa can restore all tables of the schema by triggers"
      : `auto chooses copy, which is slower, because the journal cannot be used: ${obstacle}`;
  const within =
    hindered === undefined
      ? "for an in-process target that uses seqqa's connection, auto chooses savepoint"
      : `for an in-process target that uses seqqa's connection, auto chooses the same checkpoint, because savepoint cannot be used: ${hindered}`;
  return { ok: true, says: `${apart}; ${within}` };
}

async function connections(control: Control): Promise<{ ok: boolean; says: string }> {
  const [row] = await control.rows("select @@max_connections, (select count(*) from information_schema.processlist)");
  const [most, used] = [Number(row?.[0]), Number(row?.[1])];
  const says = `${used} of ${most} connections are in use`;
  return most - used >= FEW_CONNECTIONS
    ? { ok: true, says }
    : { ok: false, says: `${says}. Raise max_connections, because the target of each lane opens more connections` };
}

function failed(what: string, error: unknown): StoreCheck {
  const hint = error instanceof SeqqaError && error.hint !== undefined ? ` ${error.hint}` : "";
  return { ok: false, what, says: `${error instanceof Error ? error.message : String(error)}${hint}` };
}
