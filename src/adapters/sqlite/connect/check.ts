import { mkdtempSync, rmSync, statSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Database } from "better-sqlite3";
import { SeqqaError } from "../../../model/errors.ts";
import type { StoreCheck } from "../../../model/stores/store-provider.ts";
import { cloneSqliteFile } from "../copy/clone-file.ts";
import { connect } from "./connect.ts";
import { isBusy } from "./failures.ts";
import { lifeOf, readOwner } from "../journal/owner.ts";
import { SqliteAdapter } from "../sqlite-adapter.ts";
import { sqlitePath } from "./sqlite-path.ts";
import { planTables } from "../journal/table-plan.ts";

const MIB = 1024 * 1024;
/** `seqqa doctor` tries checkpoint modes on a copy of the file, but copies no file larger than this (in bytes). */
const LARGE = 256 * MIB;

/** Checks a SQLite file for `seqqa doctor`. Checkpoint modes are tried on a copy of the file. */
export async function check(url: string): Promise<readonly StoreCheck[]> {
  const file = sqlitePath(url);
  const checks: StoreCheck[] = [];
  let db: Database;
  try {
    db = connect(file);
  } catch (error) {
    return [{ ok: false, what: "reachable", says: sentence(error) }];
  }
  try {
    checks.push(reachable(db, file), writable(db), ...owner(db, file));
  } catch (error) {
    checks.push({ ok: false, what: "reachable", says: sentence(error) });
  } finally {
    db.close();
  }
  checks.push(await checkpoint(file), timeouts(), await space(file));
  return checks;
}

function reachable(db: Database, file: string): StoreCheck {
  const version = db.prepare<[], string>("select sqlite_version()").pluck().get();
  const mode = String(db.pragma("journal_mode", { simple: true }));
  return { ok: true, what: "reachable", says: `${file} is a SQLite database in journal mode ${mode}, read by SQLite ${version}.` };
}

function writable(db: Database): StoreCheck {
  try {
    db.exec("begin immediate; rollback");
    return { ok: true, what: "writable", says: "seqqa can write to the file." };
  } catch (error) {
    const says = isBusy(error)
      ? "Another connection is writing to the file now. If the target already runs (base_url or lanes), let the connection commit before a run begins."
      : "The file is read-only, which is no problem if seqqa copies it. If the target already runs (base_url or lanes), make the file and its directory writable.";
    return { ok: true, what: "writable", says };
  }
}

function owner(db: Database, file: string): StoreCheck[] {
  const found = readOwner(db);
  if (found === undefined) return [];
  const says = {
    dead: `A run was killed while it was changing ${file}. \`seqqa clean\` shows the changes and restores the file.`,
    alive: `Another run of seqqa is using ${file} (process ${found.pid}). Wait until that run has ended.`,
    elsewhere: `A run of seqqa on another machine or in another container is using ${file}, or was killed while using it.`,
  };
  const life = lifeOf(found, db);
  return [{ ok: life === "dead", what: "use", says: says[life] }];
}

async function checkpoint(file: string): Promise<StoreCheck> {
  const what = "checkpoint";
  try {
    if (statSync(file).size > LARGE) return planned(file);
    const directory = mkdtempSync(join(tmpdir(), "seqqa-check-"));
    try {
      const copy = join(directory, "copy.sqlite");
      cloneSqliteFile(file, copy);
      const adapter = new SqliteAdapter({ file: copy });
      await adapter.open({ name: "db", laneIndex: 0, inProcess: false, borrowed: false });
      const { mode, why } = adapter.checkpoint;
      await adapter.close();
      return { ok: true, what, says: `auto chooses ${mode}: ${why}.` };
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  } catch (error) {
    return { ok: false, what, says: sentence(error) };
  }
}

function planned(file: string): StoreCheck {
  const db = connect(file);
  try {
    const plans = planTables(db, undefined);
    const says =
      typeof plans === "string"
        ? `auto chooses copy: ${plans}.`
        : "auto chooses journal, because seqqa can restore all tables by triggers.";
    return { ok: true, what: "checkpoint", says };
  } finally {
    db.close();
  }
}

/** Returns advice about the busy timeout of the target's own connections, which seqqa cannot check. */
function timeouts(): StoreCheck {
  return {
    ok: true,
    what: "busy_timeout",
    says: "If the target writes in the background, set its busy_timeout above 0 (SQLite's default is 0). Otherwise the target gets SQLITE_BUSY when seqqa restores the file.",
  };
}

/** Checks that the disk has enough free space for the file's write-ahead log. */
async function space(file: string): Promise<StoreCheck> {
  const what = "space";
  try {
    const { bavail, bsize } = await statfs(dirname(file));
    const [free, needed] = [bavail * bsize, 2 * statSync(file).size + 16 * MIB];
    const says = `${Math.floor(free / MIB)} MiB free in ${dirname(file)}`;
    return free >= needed
      ? { ok: true, what, says: `${says}.` }
      : { ok: false, what, says: `${says}, which is not enough. Free space on this disk.` };
  } catch (error) {
    return { ok: false, what, says: sentence(error) };
  }
}

function sentence(error: unknown): string {
  if (error instanceof SeqqaError) return error.hint === undefined ? error.message : `${error.message} ${error.hint}`;
  return error instanceof Error ? error.message : String(error);
}
