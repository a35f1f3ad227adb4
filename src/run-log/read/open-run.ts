import type { Database } from "better-sqlite3";
import { DamagedRun } from "../../engine/commit/damaged-run.ts";
import { SeqqaError } from "../../model/errors.ts";
import { SCHEMA, SCHEMA_VERSION } from "../rows/schema.ts";
import { openSqlite } from "../../stores/connect/sqlite-driver.ts";

/**
 * Opens a run log that may be damaged or manipulated, and reads from it. The file must have exactly the tables of this version, so that it cannot
 * contain other views or triggers.
 * @throws SeqqaError `RUN_UNREADABLE` with exit status 2, for every error
 */
export function readStore<T>(file: string, read: (db: Database) => T): T {
  let db: Database | undefined;
  try {
    db = openSqlite(file, { readonly: true, fileMustExist: true, timeout: 2_000 });
    db.pragma("trusted_schema = OFF");
    db.pragma("cell_size_check = ON");
    const store = db;
    // Read everything in one transaction, because another process may be writing the run.
    return store.transaction(() => {
      refuseOthers(store, file);
      return read(store);
    })();
  } catch (cause) {
    throw asUnreadable(file, cause);
  } finally {
    db?.close();
  }
}

export function asUnreadable(file: string, cause: unknown): SeqqaError {
  return cause instanceof SeqqaError ? cause : unreadable(file, reasonOf(cause), cause);
}

function refuseOthers(db: Database, file: string): void {
  const version = Number(db.pragma("user_version", { simple: true }));
  const found = new Set(schemaOf(db));
  if (version === 0 || !found.has(nameOf("table", "run"))) throw unreadable(file, "the file is not a run of seqqa");
  if (version !== SCHEMA_VERSION) {
    const hint = `${version > SCHEMA_VERSION ? "A newer" : "An older"} version of seqqa wrote the run. Use that version of seqqa, choose another run, or start a new run.`;
    throw unreadable(file, `its schema has version ${version}, and this seqqa reads version ${SCHEMA_VERSION}`, undefined, hint);
  }
  const expected = definitions();
  const same = db.prepare("SELECT type, name, sql FROM sqlite_master").all() as readonly Definition[];
  if (same.length !== expected.size || !same.every(({ name, sql }) => expected.get(name) === sql)) {
    throw unreadable(file, `its tables differ from the tables that seqqa writes (schema version ${SCHEMA_VERSION})`);
  }
}

interface Definition {
  readonly type: string;
  readonly name: string;
  readonly sql: string | null;
}

const nameOf = (type: string, name: string): string => `${type} ${name}`;

function schemaOf(db: Database): readonly string[] {
  return (db.prepare("SELECT type, name, sql FROM sqlite_master").all() as readonly Definition[]).map(({ type, name }) =>
    nameOf(type, name),
  );
}

/** Returns the definitions of the tables and indexes of this version's schema by name, as SQLite stores them. */
function definitions(): ReadonlyMap<string, string | null> {
  const db = openSqlite(":memory:");
  try {
    db.exec(SCHEMA);
    const all = db.prepare("SELECT type, name, sql FROM sqlite_master").all() as readonly Definition[];
    return new Map(all.map(({ name, sql }) => [name, sql]));
  } finally {
    db.close();
  }
}

function reasonOf(cause: unknown): string {
  const { code, message } = cause as { readonly code?: unknown; readonly message?: unknown };
  if (code === "SQLITE_NOTADB") return "the file is not a SQLite database";
  if (typeof code === "string" && code.startsWith("SQLITE_CORRUPT")) return "the file is damaged";
  if (typeof code === "string") return `${code.startsWith("SQLITE_") ? "SQLite" : "the system"} reports the error ${code}`;
  if (cause instanceof DamagedRun) return cause.message;
  if (cause instanceof SyntaxError) return "the file is damaged: a stored value is not JSON";
  // JavaScript throws these errors for unexpected values in the file. Their messages mean nothing to a user.
  if (cause instanceof TypeError || cause instanceof RangeError) return "the file is damaged";
  return String(message).replace(/\.$/, "").split("\n")[0]!;
}

/** Returns the error for a run log that cannot be read. @param why The reason, as the end of the message after a colon. */
export function unreadable(file: string, why: string, cause?: unknown, hint = "Choose another run, or start a new run."): SeqqaError {
  return new SeqqaError("RUN_UNREADABLE", `seqqa cannot read the run in ${file}: ${why}.`, {
    exitStatus: 2,
    hint,
    cause,
  });
}
