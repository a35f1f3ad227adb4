import { mkdtempSync, rmSync, statSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Database } from "better-sqlite3";
import { SeqqaError } from "../../../model/errors.ts";
import { hasChanges } from "../../../model/stores/leftover.ts";
import { COPIED, type StoreCheck, type StoreUse } from "../../../model/stores/store-provider.ts";
import { cloneSqliteFile } from "../copy/clone-file.ts";
import { connect } from "./connect.ts";
import { isBusy } from "./failures.ts";
import { leftBehind, refusedWhereItIs } from "../../../stores/external/external-store.ts";
import { recover } from "../journal/take-over.ts";
import { SqliteAdapter } from "../sqlite-adapter.ts";
import { sqlitePath } from "./sqlite-path.ts";
import { planTables } from "../journal/table-plan.ts";

const MIB = 1024 * 1024;
/** The maximum size, in bytes, of a file that `seqqa doctor` copies to try checkpoint modes. */
const LARGE = 256 * MIB;

/** Checks a SQLite file for `seqqa doctor`. Checkpoint modes are tried on a copy of the file. */
export async function check(url: string, use: StoreUse = COPIED): Promise<readonly StoreCheck[]> {
  const file = sqlitePath(url);
  const checks: StoreCheck[] = [];
  let db: Database;
  try {
    db = connect(file);
  } catch (error) {
    return [{ ok: false, what: "reachable", says: sentence(error) }];
  }
  try {
    checks.push(reachable(db, file), writable(db, use));
  } catch (error) {
    checks.push({ ok: false, what: "reachable", says: sentence(error) });
  } finally {
    db.close();
  }
  checks.push(...(await owner(file, use)), await checkpoint(file, use), timeouts(), await space(file));
  return checks;
}

function reachable(db: Database, file: string): StoreCheck {
  const version = db.prepare<[], string>("select sqlite_version()").pluck().get();
  const mode = String(db.pragma("journal_mode", { simple: true }));
  return { ok: true, what: "reachable", says: `${file} is a SQLite database in journal mode ${mode}, read by SQLite ${version}.` };
}

function writable(db: Database, { inPlace }: StoreUse): StoreCheck {
  try {
    db.exec("begin immediate; rollback");
    return { ok: true, what: "writable", says: "seqqa can write to the file." };
  } catch (error) {
    const says = isBusy(error)
      ? `Another connection is writing to the file now.${inPlace ? " Let the connection commit before a run begins." : ""}`
      : `The file is read-only${inPlace ? ", but a run uses it in place. Make the file and its directory writable." : ", which is no problem, because seqqa copies it."}`;
    return { ok: !inPlace || isBusy(error), what: "writable", says };
  }
}

/**
 * Checks that no other run uses the file or left changes in it. If lanes use copies of the file, such a run is not an error, because copies get the
 * content from before that run.
 */
async function owner(file: string, { inPlace }: StoreUse): Promise<StoreCheck[]> {
  const what = "use";
  try {
    const found = await recover(file, { dryRun: true });
    if (found === undefined) return [];
    if (inPlace && hasChanges(found)) return [{ ok: false, what, says: sentence(leftBehind(found)) }];
    return [
      { ok: true, what, says: `A run was killed while it was using ${file}. \`seqqa clean\` shows its changes and restores the file.` },
    ];
  } catch (error) {
    return [{ ok: !inPlace && error instanceof SeqqaError && error.code === "STORE_IN_USE", what, says: sentence(error) }];
  }
}

async function checkpoint(file: string, { inPlace, inProcess }: StoreUse): Promise<StoreCheck> {
  const what = "checkpoint";
  // For an external file, the mode `copy` is refused. Do not report this if the target runs in this process, because such a target can use the
  // checkpoint `savepoint`.
  const borrowed = inPlace && !inProcess;
  try {
    if (statSync(file).size > LARGE) return planned(file, borrowed);
    const directory = mkdtempSync(join(tmpdir(), "seqqa-check-"));
    const copy = join(directory, "copy.sqlite");
    try {
      cloneSqliteFile(file, copy);
      const adapter = new SqliteAdapter({ file: copy });
      await adapter.open({ name: "db", laneIndex: 0, inProcess: false, borrowed });
      const { mode, why } = adapter.checkpoint;
      await adapter.close();
      return { ok: true, what, says: `auto chooses ${mode}, because ${why}.` };
    } catch (error) {
      return { ok: false, what, says: sentence(error).replaceAll(copy, file) };
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  } catch (error) {
    return { ok: false, what, says: sentence(error) };
  }
}

function planned(file: string, borrowed: boolean): StoreCheck {
  const db = connect(file);
  try {
    const plans = planTables(db, undefined);
    if (typeof plans !== "string")
      return { ok: true, what: "checkpoint", says: "auto chooses journal, because seqqa can restore all tables by triggers." };
    return borrowed
      ? { ok: false, what: "checkpoint", says: sentence(refusedWhereItIs("copy", `the SQLite file ${file}`, plans)) }
      : { ok: true, what: "checkpoint", says: `auto chooses copy, because ${plans}.` };
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
