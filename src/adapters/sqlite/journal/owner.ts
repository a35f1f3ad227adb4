import { randomBytes } from "node:crypto";
import type { Database } from "better-sqlite3";
import { here, identify, isAlive, isThreadAlive, thisThread } from "../../../stores/index.ts";
import { quoteName } from "../connect/sql-text.ts";
import type { TablePlan } from "./table-plan.ts";
import { LEASE, SECONDS } from "./triggers.ts";

const OWNER = "seqqa_owner";

/** An SQL condition that is true if the journal in the file has a token, the only parameter of the condition. */
export const HAS_TOKEN: string = `exists (select 1 from ${OWNER} where token = ?)`;

/** The run that owns the journal tables in a file. The values come from the file, so they cannot be trusted. */
export interface Owner {
  /** The id of the installed journal: 32 hexadecimal digits. */
  readonly token: string;
  readonly pid: number;
  readonly start: string;
  readonly thread: string;
  readonly host: string;
  readonly boot: string;
  readonly namespace: string;
}

/**
 * The state of the owner of a file. `elsewhere`: the owner's process is on another machine or in another container, so this process cannot find out
 * if it is alive.
 */
export type Life = "dead" | "alive" | "elsewhere";

/** The ids of the journals that adapters in this thread use. */
const held = new Set<string>();

export function newToken(): string {
  return randomBytes(16).toString("hex");
}

/** Records this process as the owner of the file. Must be called inside a transaction. */
export function stamp(db: Database, token: string): void {
  const { host, boot, namespace } = here();
  const { pid, start } = identify(process.pid) ?? { pid: process.pid, start: "" };
  db.exec(`create table if not exists ${OWNER}(token text, pid integer, start text, thread text, host text, boot text, namespace text)`);
  const rowid = BigInt(wasVacuumed(db) ? VACUUMED : NOT_VACUUMED);
  db.exec(`delete from ${OWNER}`);
  const insert = db.prepare(`insert into ${OWNER}(rowid, token, pid, start, thread, host, boot, namespace) values(?, ?, ?, ?, ?, ?, ?, ?)`);
  insert.run(rowid, token, BigInt(pid), start, thisThread(), host, boot, namespace);
  held.add(token);
}

/**
 * The row id of the owner. VACUUM gives the rows of a table without key and index new row ids that begin with 1, so the row id 1 shows that VACUUM
 * was executed.
 */
const NOT_VACUUMED = 2;
const VACUUMED = 1;

/** Returns `true` if VACUUM was executed since the journal was installed, or since {@link forgetVacuum}. */
export function wasVacuumed(db: Database): boolean {
  return db.prepare<[], number>(`select rowid from ${OWNER}`).pluck().get() === VACUUMED;
}

export function forgetVacuum(db: Database): void {
  db.exec(`update ${OWNER} set rowid = ${NOT_VACUUMED}`);
}

/** Returns `true` if VACUUM may change the row ids of a table, because the table has neither an INTEGER PRIMARY KEY nor an index. */
export function isRenumberable(db: Database, { shownFrom, name }: TablePlan): boolean {
  return shownFrom === 1 && db.prepare("select 1 from pragma_index_list(?)").get(name) === undefined;
}

/** Notes that no adapter in this thread uses the journal. Must be called even if the last restore failed. */
export function release(token: string): void {
  held.delete(token);
}

/** Returns the owner of the journal in a file, or `undefined` if the file contains no journal. */
export function readOwner(db: Database): Owner | undefined {
  if (!hasTable(db, OWNER)) return undefined;
  const row = db.prepare<[], Readonly<Record<string, unknown>>>(`select * from ${OWNER}`).get() ?? {};
  const text = (name: string): string => (typeof row[name] === "string" ? row[name] : "");
  return {
    // The token becomes part of a file name. Drop a text that is not 32 hexadecimal digits.
    token: /^[0-9a-f]{32}$/.test(text("token")) ? text("token") : "",
    pid: typeof row["pid"] === "number" ? row["pid"] : 0,
    start: text("start"),
    thread: text("thread"),
    host: text("host"),
    boot: text("boot"),
    namespace: text("namespace"),
  };
}

/** Finds out if the run that owns the file is alive. A run with an expired lease counts as dead, because it no longer uses the file. */
export function lifeOf(owner: Owner, db: Database): Life {
  if (hasTable(db, LEASE) && db.prepare(`select until > ${SECONDS} from ${LEASE}`).pluck().get() !== 1) return "dead";
  // Users can set `pid` to 0 to say that the run has ended.
  if (owner.pid <= 0) return "dead";
  const place = here();
  if (owner.host !== place.host) return "elsewhere";
  if (owner.boot !== place.boot) return "dead";
  if (owner.namespace !== place.namespace) return "elsewhere";
  if (!isAlive(owner)) return "dead";
  if (owner.pid !== process.pid) return "alive";
  if (owner.thread === "" || owner.thread === thisThread()) return held.has(owner.token) ? "alive" : "dead";
  return isThreadAlive(owner.thread) ? "alive" : "dead";
}

export function hasTable(db: Database, name: string): boolean {
  return db.prepare("select 1 from sqlite_schema where type = 'table' and name = ?").get(name) !== undefined;
}

/**
 * Drops the triggers and tables that seqqa created. Names of the user's tables and triggers may begin with `seqqa`, too, so tables are found by their
 * exact names and triggers by the pattern of their names. Must be called inside a transaction, on a connection that sees triggers.
 */
export function dropOurs(db: Database): void {
  const ours = db
    .prepare<[], { type: string; name: string }>(
      `select type, name from sqlite_schema where type = 'trigger' and name glob 'seqqa_[idukrsf][0-9]*'
       or type = 'table' and name in ('${OWNER}', 'seqqa_log', 'seqqa_tables', 'seqqa_kept', 'seqqa_counters', '${LEASE}', 'seqqa_fault', 'seqqa_passed') order by type desc`,
    )
    .all();
  for (const { type, name } of ours) db.exec(`drop ${type} if exists ${quoteName(name)}`);
}

/** Calls `work` in a write transaction. @throws SqliteError if the file is locked */
export function writing<T>(db: Database, work: () => T): T {
  db.exec("begin immediate");
  try {
    const result = work();
    db.exec("commit");
    return result;
  } catch (error) {
    if (db.inTransaction) db.exec("rollback");
    throw error;
  }
}
